import { CairnError } from '@cairn/protocol'

/** Some file systems take two names for one that are equal in this form. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

/** The error of a folder that such a file system cannot hold. */
export function equalNames(fileName: string): CairnError {
  return new CairnError('DUPLICATE_NAME', {
    message: `Another name in the folder differs only in case or Unicode form: ${fileName}`,
    hint: 'Some systems take both for one file. Download each by its path.',
    details: { fileName },
  })
}

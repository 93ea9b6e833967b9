import { CairnError } from '@cairn/protocol'
import { noDisk } from '../local/no-disk.ts'
import type { LocalPath } from '../local-source.ts'

export function openPath(path: string): Promise<LocalPath> {
  throw new CairnError('FILE_UNREADABLE', {
    message: `A browser cannot read ${path}`,
    hint: 'Use a File, Blob or FileList.',
  })
}

export async function measure(): Promise<never> {
  return noDisk()
}

export function mimeTypeOf(): false {
  return false
}

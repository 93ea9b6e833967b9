import { translatable } from '../translatable.ts'

/** Errors in the names of an upload. Loaded with the page: files are checked as soon as they are chosen or dropped. */
export const uploadNames = translatable('uploadNames', {
  duplicate: (name: string) => `Duplicate file name found: ${name}`,
  duplicateHint: 'Rename one of them.',
  nameEmpty: 'A name needs at least one character.',
  nameSlash: 'A folder name must not contain a slash.',
})

import type { FileEntry } from '@cairn/sdk'

/** Returns who can read an upload, in the words that filter a list of uploads. */
export function accessOf({ encryption, private: isPrivate }: Pick<FileEntry, 'encryption' | 'private'>) {
  if (encryption) return 'encrypted'
  return isPrivate ? 'private' : 'public'
}

import { File, FileAudio, FileImage, FileLock, FileText, FileVideo, Folder, type LucideIcon } from 'lucide-react'

const icons: readonly [RegExp, LucideIcon][] = [
  [/^image\//, FileImage],
  [/^video\//, FileVideo],
  [/^audio\//, FileAudio],
  [/^text\/|json|pdf|xml/, FileText],
  [/directory|unixfs/, Folder],
]

/** The picture of a kind of file. */
export function fileIcon({ mimeType, encryption }: { mimeType: string | null; encryption: boolean }): LucideIcon {
  if (encryption) return FileLock
  return icons.find(([pattern]) => pattern.test(mimeType ?? ''))?.[1] ?? File
}

import { File, FileAudio, FileImage, FileLock, FileText, FileVideo, Folder, type IconComponent } from '#icons'

const icons: readonly [RegExp, IconComponent][] = [
  [/^image\//, FileImage],
  [/^video\//, FileVideo],
  [/^audio\//, FileAudio],
  [/^text\/|json|pdf|xml/, FileText],
  [/directory|unixfs/, Folder],
]

/** The picture of a kind of file. */
export function fileIcon({ mimeType, encryption }: { mimeType: string | null; encryption: boolean }): IconComponent {
  if (encryption) return FileLock
  return icons.find(([pattern]) => pattern.test(mimeType ?? ''))?.[1] ?? File
}

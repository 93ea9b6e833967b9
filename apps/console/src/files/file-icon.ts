import {
  File,
  FileAudio,
  FileImage,
  FileLock,
  FileText,
  FileVideo,
  Folder,
  FolderLock,
  type IconComponent,
} from '#icons'

const icons: readonly [RegExp, IconComponent][] = [
  [/^image\//, FileImage],
  [/^video\//, FileVideo],
  [/^audio\//, FileAudio],
  [/^text\/|json|pdf|xml/, FileText],
]

/** The picture of a kind of file. */
export function fileIcon(
  { mimeType, encryption }: { mimeType: string | null; encryption: boolean },
  isFolder = false,
): IconComponent {
  if (isFolder) return encryption ? FolderLock : Folder
  if (encryption) return FileLock
  return icons.find(([pattern]) => pattern.test(mimeType ?? ''))?.[1] ?? File
}

import type { IconComponent } from '#icons'
import { plainSizeText } from '../content/plain-size.ts'
import { useFolderSize } from '../content/use-folder-size.ts'
import { useIsFolder } from '../content/use-is-folder.ts'
import { markControls } from '../messages/mark-controls.ts'
import { fileIcon } from './file-icon.ts'
import { driveFolderType, type ListedFile } from './listed-file.ts'

/** What rows and tiles show of a file. */
type ShownFile = {
  name: string
  isFolder: boolean
  /** Whether it is a folder of the drive, which has no content of its own. */
  isOwnFolder: boolean
  Icon: IconComponent
  /** Empty for a folder of the drive. */
  size: string
}

/** Returns what rows and tiles show of a file, and asks for what its listing does not state. */
export function useShownFile(file: ListedFile): ShownFile {
  const { cid, fileName, fileSizeInBytes, encryption, mimeType } = file
  const isOwnFolder = mimeType === driveFolderType
  const isFolder = useIsFolder(file).isFolder || isOwnFolder
  useFolderSize(cid, encryption && isFolder && !isOwnFolder)
  const stored = { cid, sizeBytes: Number(fileSizeInBytes), isEncrypted: encryption, isFolder }
  return {
    name: markControls(fileName),
    isFolder,
    isOwnFolder,
    Icon: fileIcon(file, isFolder),
    size: isOwnFolder ? '' : plainSizeText([stored]),
  }
}

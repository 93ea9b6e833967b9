export type { BlockSink, ImportedNode } from './block-sink.ts'
export {
  type CarBlock,
  type CarLimits,
  type CarReading,
  encodeCarFrame,
  encodeCarHeader,
  readCar,
} from './car.ts'
export { createDirectoryTree, type DirectoryTree, type DirectoryTreeOptions } from './directory-tree.ts'
export { createFileImporter, type FileImporter, type ImportOptions } from './file-importer.ts'
export type { HashFunction } from './hash-function.ts'
export { type ImportProfile, importProfiles, profileFor } from './profiles.ts'
export { encodeSymlink, importSymlink } from './symlink-importer.ts'
export { UnixfsError, type UnixfsErrorCode } from './unixfs-error.ts'
export { type HashTable, maxIdentityBytes, verifyBlock } from './verify.ts'

// UnixFS and CAR as Kubo builds them, for Node and browsers. Writing: createFileImporter → createDirectoryTree into a
// BlockSink. Reading: resolvePath, statNode, readFile, listDirectory, walkDag from a BlockSource. CARs: readCar and the
// two encoders. Trust: verifyBlock for hashes, verifyDag for completeness. Every failure is a UnixfsError with a code.

export { type CidList, packCids } from './cids/cid-list.ts'
export type { HashFunction } from './cids/hash-function.ts'
export { hashFunctions, type MultihashFunction, requireHashFunction } from './cids/hash-functions.ts'
export { maxCidCharacters } from './cids/read-cid.ts'
export { hashBlock, maxIdentityBytes, verifyBlock } from './cids/verify.ts'
export {
  type CarBlock,
  type CarLimits,
  type CarReading,
  encodeCarFrame,
  encodeCarHeader,
  readCar,
} from './formats/car.ts'
export type { DagLink } from './formats/dag-pb.ts'
export { packLinks } from './formats/link-list.ts'
export { type DagNode, decodeNode, type NodeKind, type NodeMetadata, requireCodec } from './formats/node.ts'
export type { ModificationTime } from './formats/unixfs-data.ts'
export { sortAsWalked } from './hamt/name-hashes.ts'
export {
  type BlockSource,
  createVerifyingSource,
  loadBlock,
  loadNode,
  type NodeCache,
  type ReadOptions,
} from './reading/block-source.ts'
export { type DirectoryEntry, listDirectory } from './reading/list-directory.ts'
export { type ByteRange, readFile } from './reading/read-file.ts'
export { type ResolvedPath, type ResolveOptions, resolvePath } from './reading/resolve-path.ts'
export { type NodeStat, statNode } from './reading/stat-node.ts'
export {
  type BlockIndex,
  missingBlock,
  type VerifiedDag,
  type VerifyDagOptions,
  verifyDag,
} from './reading/verify-dag.ts'
export { type WalkOptions, walkDag } from './reading/walk-dag.ts'
export { UnixfsError, type UnixfsErrorCode } from './unixfs-error.ts'
export { type Annotator, createAnnotator } from './writing/annotator.ts'
export type { BlockSink, ImportedNode } from './writing/block-sink.ts'
export {
  createDirectoryTree,
  type DirectoryTree,
  type DirectoryTreeOptions,
  writeFolder,
} from './writing/directory-tree.ts'
export { createEntryTable, type EntryTable, type EntryTableOptions, topEntry } from './writing/entry-table.ts'
export {
  createFileImporter,
  type FileImporter,
  type FileImportState,
  type ImportOptions,
} from './writing/file-importer.ts'
export { leafNode } from './writing/leaf-node.ts'
export { loadDirectoryTree } from './writing/load-directory-tree.ts'
export { type ImportProfile, importProfiles, profileFor } from './writing/profiles.ts'
export { encodeSymlink, importSymlink } from './writing/symlink-importer.ts'

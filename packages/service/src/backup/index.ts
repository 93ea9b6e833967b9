export {
  backupKey,
  createBackupId,
  databaseEntries,
  fileSchema,
  keySchema,
  lines,
  listBackupIds,
  listIdsWith,
  manifestHead,
  manifestsOf,
  parseJson,
  removeAbandoned,
  removeUnfinished,
  untilAborted,
  wholeSchema,
} from './backup-files.ts'
export { type BackupSettings, backupSettings, readBackupSettings } from './backup-settings.ts'
export { type DumpedValue, type DumpPart, dumpRows, encodeValue, quote, readDump } from './dump.ts'
export { insertDump } from './insert-dump.ts'
export { claimPlace, requireOwnPlace } from './own-place.ts'
export { openPlace } from './place.ts'
export { createBackupKey, createOpener, createSealer, type Opener, type Sealer } from './seal.ts'
export { splitLines } from './split-lines.ts'
export {
  damaged,
  readPieces,
  readStored,
  readWhole,
  type StoredFile,
  type Sum,
  writeStored,
} from './stored-files.ts'

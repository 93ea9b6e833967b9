export { markDamaged } from './checking/mark-damage.ts'
export { verifyPack } from './checking/verify-pack.ts'
export { createPackStore } from './create-pack-store.ts'
export { hashSha256 } from './hash-sha256.ts'
export { packHeaderBytes } from './manifest.ts'
export { countMergeable } from './merging/find-mergeable.ts'
export { createMergeWorker, mergePacks } from './merging/merge-packs.ts'
export { objectKeyOf, type PlacedPack, shiftOf } from './pack-place.ts'
export { claimPackFolder, takeOverPackFolder } from './recovery/claim-folder.ts'
export { comparePacks } from './recovery/compare-packs.ts'
export { type ImportedPack, importPacks, releaseListed } from './recovery/import-packs.ts'
export { recoverPacks } from './recovery/recover.ts'
export { discardRecovered, findRecovered, type RecoveredPack } from './recovery/recovered-packs.ts'
export { markMissing, reportComparison, settleComparison } from './recovery/settle-comparison.ts'
export {
  holdOthers,
  isHeld,
  lockHeld,
  type ReleasedPack,
  recoveredHolder,
  releaseHeld,
  releaseSegments,
  requireHeld,
} from './removal/hold-packs.ts'
export { countRemoval, readRemovals } from './removal/removals.ts'
export { removePack } from './removal/remove-pack.ts'
export type { PackEvent, PackOptions, PackReader, PackStore, PackWriter, SealedPack } from './types.ts'
export { releasePacks } from './writing/record-pack.ts'

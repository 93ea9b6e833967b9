export { markDamaged } from './checking/mark-damage.ts'
export { verifyPack } from './checking/verify-pack.ts'
export { claimPackFolder, takeOverPackFolder } from './claim-folder.ts'
export { comparePacks } from './compare-packs.ts'
export { createPackStore } from './create-pack-store.ts'
export { hashSha256 } from './hash-sha256.ts'
export { type ImportedPack, importPacks, releaseListed } from './import-packs.ts'
export { packHeaderBytes } from './manifest.ts'
export { countMergeable } from './merging/find-mergeable.ts'
export { createMergeWorker, mergePacks } from './merging/merge-packs.ts'
export { objectKeyOf, type PlacedPack, shiftOf } from './pack-place.ts'
export { releasePacks } from './record-pack.ts'
export { recoverPacks } from './recover.ts'
export { discardRecovered, findRecovered, type RecoveredPack } from './recovered-packs.ts'
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
export { markMissing, reportComparison, settleComparison } from './settle-comparison.ts'
export type { PackEvent, PackOptions, PackReader, PackStore, PackWriter, SealedPack } from './types.ts'

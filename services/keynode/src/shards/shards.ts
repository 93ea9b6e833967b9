// The face of the shards: what other capabilities use.
export { applyChange } from './changes/change-record.ts'
export { callPeer } from './peers/peer-client.ts'
export { queryPeers } from './peers/peers.ts'
export { keepPrevious } from './peers/promote.ts'
export { confirmRestored, findAgreed } from './peers/repair.ts'
export { openShard, type SealSubject, sealShard } from './seal.ts'
export {
  isOfOwner,
  openParts,
  openSpare,
  openSpareShard,
  removeSpare,
  type SpareSubject,
  sealSpare,
  sealSpareShard,
} from './spares.ts'
export { findRecordToChange, removeOtherSet, type Trx, writeChange } from './store.ts'

export { canGrowLimit, enter, openAccount } from './account-ledger.ts'
export { changeAccount, claimFreeAccount, measureFreeDisk, recountAccount, recountFreeStorage } from './free-storage.ts'
export { lockAccount } from './lock-account.ts'
export {
  changeOperatorSetting,
  type FreeSettings,
  findLowestPrice,
  listStoragePrices,
  type OperatorSetting,
  operatorSettings,
  readFreeSettings,
  readStoragePrice,
  unlimited,
} from './operator-settings.ts'
export {
  charge,
  credit,
  hasUploadsInProgress,
  isShortage,
  joinReservation,
  lastingOwner,
  type Reservation,
  releaseAll,
  releaseReservation,
  requireQuota,
  reservationOf,
  reserve,
  reserveSpace,
  settle,
  shortOf,
  shrinkReservation,
} from './quota.ts'
export { createReservationWorker } from './renew-reservations.ts'
export { watchFreeStorage } from './watch-free-storage.ts'

export {
  checksumAddress,
  createHeldSessionKey,
  createWallet,
  decryptKeystore,
  derivePasskeyWallet,
  encryptKeystore,
  estimateDecryptedSize,
  passkeyInput,
  type SessionKey,
  signMessage,
  type VerifiedEventLog,
  type Wallet,
  walletFromPrivateKey,
} from '@cairn/crypto'
export type { NameKey, NameRecord } from '@cairn/names'
export {
  type AccountEvent,
  type AddressChange,
  type ApiKeyInfo,
  CairnError,
  type CreatedErrors,
  type CreatedWebhook,
  type Deal,
  type ErrorCode,
  type EventPage,
  type EventType,
  eventTypes,
  type FileEntry,
  type FileLink,
  formatUnits,
  type GatewayLink,
  isAnyCid,
  isCid,
  isPrivateKey,
  type LinkInfo,
  listedConditions,
  mapConditionFields,
  type NameState,
  type NetworkProfile,
  networks,
  normalizeAddress,
  type Payment,
  type PossessionCheck,
  restoreError,
  type S3BucketState,
  type S3Credentials,
  type Scope,
  scopes,
  type TrustedAddresses,
  tokensOf,
  type UploadInfo,
  type UploadLink,
  type UploadLinkInfo,
  type Webhook,
  type WebhookDelivery,
  type WebhookTestResult,
} from '@cairn/protocol'
export {
  createApiKey,
  getMessage,
  type KeyRights,
  listApiKeys,
  type MessageUse,
  revokeApiKey,
} from './account/api-keys.ts'
export { getQuote, type Quote } from './account/quote.ts'
export { getS3Bucket, publishS3Bucket, unpublishS3Bucket } from './account/s3-buckets.ts'
export { createS3Credentials, type S3RuleInput } from './account/s3-credentials.ts'
export { type SignedIn, type SignInOptions, signIn } from './account/sign-in.ts'
export { getStatus, type Status } from './account/status.ts'
export { getUsage, type Usage } from './account/usage.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { type DecryptOptions, decryptBytes, decryptFile, openDecrypted } from './decryption/decrypt-file.ts'
export {
  decryptFolder,
  type EncryptedFolder,
  openEncryptedFolder,
} from './decryption/encrypted-folder.ts'
export { isEncrypted } from './decryption/is-encrypted.ts'
export { openSeekable, type SeekableFile, type SeekableOptions } from './decryption/open-seekable.ts'
export { isContentPath } from './download/content-path.ts'
export { estimateDecryptedFolderSize, getDecryptedSize } from './download/decrypted-size.ts'
export type { DownloadResult, DownloadToDiskOptions } from './download/disk-options.ts'
export { downloadCar } from './download/download-car.ts'
export { downloadFile } from './download/download-file.ts'
export { isFolder } from './download/is-folder.ts'
export { type FolderItem, listDirectory } from './download/list-directory.ts'
export { type EncryptedFolderFile, openEncryptedTree } from './download/open-encrypted-tree.ts'
export { type DownloadOptions, downloadBytes, type OpenFile, openFile } from './download/open-file.ts'
export { type OpenTree, openTree, type TreeItem } from './download/open-tree.ts'
export type { DriveContact } from './drive/contacts.ts'
export {
  type Drive,
  type DriveOptions,
  type OpenDriveOptions,
  openDrive,
} from './drive/drive.ts'
export type { DriveDuplicates, RemovedCopies } from './drive/duplicates.ts'
export type { DriveEditor } from './drive/edit.ts'
export type { EmptiedTrash, EmptyTrashOptions } from './drive/empty-trash.ts'
export { type ExportedDrive, exportDrive, openExportedDrive } from './drive/export-drive.ts'
export type { KnownDrive } from './drive/log/log.ts'
export type { Change as DriveChange } from './drive/log/registers.ts'
export { isDriveKeyLost, type ResetDriveOptions, resetDrive } from './drive/reset-drive.ts'
export type { DriveFile, DriveFolder, DriveItem } from './drive/view/items.ts'
export type { DriveUpload, DriveVersion } from './drive/view/nodes.ts'
export { type EncryptBlob, type EncryptSettings, encryptBlob } from './encryption/encrypt-stream.ts'
export { exportEvents, verifyEventLog } from './events/event-log.ts'
export { type EventFilter, listEvents } from './events/list-events.ts'
export { verifyWebhook, type WebhookHeaders } from './events/verify-webhook.ts'
export { type WatchOptions, watchEvents } from './events/watch-events.ts'
export {
  createWebhook,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  testWebhook,
  updateWebhook,
  type WebhookSettings,
} from './events/webhooks.ts'
export { deleteFile, getFileInfo, pinCid, renameFile } from './files/files.ts'
export { type FileFilter, listFiles, listFilesPage } from './files/list-files.ts'
export { createGatewayLink, type GatewayLinkOptions } from './gateway-links/gateway-links.ts'
export { iterateStream } from './iterate-stream.ts'
export { type KeySession, lackingNodes } from './key-session.ts'
export {
  explainAccess,
  explainConditions,
  removeConditions,
  retireKey,
  revokeAccess,
  setConditions,
  shareFile,
  transferFile,
} from './keys/access.ts'
export { findConditions } from './keys/agreed-conditions.ts'
export type { ChangeOptions, ChangeResult } from './keys/change-nodes.ts'
export type { ConditionsInput } from './keys/check-conditions.ts'
export { type ClosedKeySession, closeKeySession } from './keys/close-session.ts'
export { createKeySet, type ExportedKey, exportKey, recoverExported } from './keys/export-key.ts'
export { extendKeySession } from './keys/extend-session.ts'
export { getConditions } from './keys/get-conditions.ts'
export { type GetKeyOptions, getKey, type RecoveredKey } from './keys/get-key.ts'
export type { HalfDone } from './keys/half-done.ts'
export { type KeyEvent, type KeyEventOptions, listKeyEvents } from './keys/list-key-events.ts'
export { type KeyFile, type KeyFileOptions, listKeyFiles } from './keys/list-keys.ts'
export { openKeySession } from './keys/open-session.ts'
export { type RepairOptions, type RepairReport, repairKey } from './keys/repair.ts'
export { type PreparedKey, prepareKey, saveKey } from './keys/save-key.ts'
export { getKeyStatus, type KeyReport } from './keys/status.ts'
export { type WatchKeyEventsOptions, watchKeyEvents } from './keys/watch-key-events.ts'
export {
  type CreatedLink,
  createLink,
  inspectLink,
  type LinkOptions,
  listLinks,
  type OpenedLink,
  openLink,
  revokeLink,
} from './links/links.ts'
export {
  type InspectedNetwork,
  inspectNetwork,
  type KnownNetworks,
  type LoadNetworkOptions,
  loadNetwork,
} from './load-network.ts'
export { listNames } from './names/list-names.ts'
export { listNameHistory, type PastRecord } from './names/name-history.ts'
export { createNameKey, exportNameKey, importNameKey } from './names/name-keys.ts'
export { createName, type ExportedName, exportName, getName, removeName, renameName } from './names/names.ts'
export { type PublishOptions, publishName } from './names/publish-name.ts'
export { type PublishSignedOptions, publishSigned } from './names/publish-signed.ts'
export { registerRecord } from './names/register-record.ts'
export { type ResolvedName, type ResolveOptions, resolveName } from './names/resolve-name.ts'
export {
  getEgress,
  getPayment,
  getQuotaReport,
  listPayments,
  type PaymentReport,
  type QuotaReport,
  useFaucet,
  waitForCredit,
} from './payments/credits.ts'
export { authorizeOnce } from './payments/one-time.ts'
export {
  type PaidTransaction,
  type PayEvent,
  type PaymentParams,
  type PayOptions,
  type PaySigner,
  pay,
} from './payments/pay.ts'
export { type Coin, findChain, getPrice, getTickerPrice, isCoin, type Price } from './payments/price.ts'
export type { OnProgress, Progress } from './progress.ts'
export { challengeProvider } from './proofs/challenge-provider.ts'
export type { Check } from './proofs/check.ts'
export { type NonceSource, parseNonceSource } from './proofs/nonce-source.ts'
export { type Copies, getCopies, getProofs, listChecks, type StorageProofs, setCopies } from './proofs/proofs.ts'
export type { ProviderReport } from './proofs/verify-provider.ts'
export {
  type PieceReport,
  type StorageReport,
  type VerifyOptions,
  verifyStorage,
} from './proofs/verify-storage.ts'
export { type WaitOptions, waitForProof } from './proofs/wait-for-proof.ts'
export { type CallOptions, call } from './request.ts'
export { type RotatedFile, rotateFile } from './rotation/rotate-file.ts'
export type { Signer } from './signer/resolve-signer.ts'
export { findThumbnails, type SealedThumbnail, saveThumbnail } from './thumbnails/thumbnails.ts'
export { changeFolder, type FolderChanges } from './upload/change-folder.ts'
export { type ComputeCidOptions, computeCid, computeFolderCid } from './upload/compute-cid.ts'
export type { ComputedCid } from './upload/import-batch.ts'
export {
  createResumable,
  type Resumable,
  type ResumableOptions,
  type ResumableState,
  resumeUpload,
} from './upload/resumable.ts'
export type { EncryptedFolderOptions, EncryptedUploadOptions, EncryptedUploadResult } from './upload/send-encrypted.ts'
export type { UploadOptions, UploadResult } from './upload/send-files.ts'
export { cancelUpload, getUpload } from './upload/send-in-parts.ts'
export { uploadCar } from './upload/upload-car.ts'
export {
  uploadEncrypted,
  uploadEncryptedBytes,
  uploadEncryptedFolder,
  uploadEncryptedStream,
  uploadEncryptedText,
} from './upload/upload-encrypted.ts'
export { uploadBytes, uploadFile, uploadStream, uploadText } from './upload/upload-file.ts'
export { type FolderEntry, type FolderSource, uploadFolder } from './upload/upload-folder.ts'
export {
  type CreatedUploadLink,
  createUploadLink,
  inspectUploadLink,
  listUploadLinks,
  revokeUploadLink,
  type UploadLinkOptions,
} from './upload-links/upload-links.ts'
export { type UploadWithLinkOptions, uploadWithLink } from './upload-links/upload-with-link.ts'

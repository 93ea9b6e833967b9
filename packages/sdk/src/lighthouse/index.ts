// A drop-in for the peer's published SDK: same names, positions, defaults and results; its defects are not copied.
// The functions of the key client are also here; its `getAuthMessage`, a name that the SDK has too, is in `kavach`.
// Functions for another storage network (walrusBlobs, deleteFileWalrus) throw NOT_SUPPORTED.
import { createWallet, getApiKey, getBalance, getQuote } from './account.ts'
import {
  applyAccessCondition,
  decryptFile,
  fetchEncryptionKey,
  getAccessConditions,
  getAuthMessage,
  revokeFileAccess,
  shareFile,
  textUploadEncrypted,
  uploadEncrypted,
} from './encryption.ts'
import { deleteFile, getFileInfo, getUploads } from './files.ts'
import * as kavach from './kavach.ts'
import { generateKey, getAllKeys, publishRecord, removeKey } from './names.ts'
import { fund, getPrice, oneTimeAuth } from './payments.ts'
import { dealStatus, posdi } from './proofs.ts'
import { upload, uploadBuffer, uploadCAR, uploadText } from './upload.ts'
import { deleteFileWalrus, walrusBlobs } from './walrus.ts'

export { lighthouseConfig } from './config.ts'
export {
  accessControl,
  generate,
  getAccessCondition,
  getJWT,
  recoverKey,
  recoverShards,
  revokeAccess,
  saveShards,
  shardKey,
  shareToAddress,
  transferOwnership,
} from './kavach.ts'
export type { FundedTransaction } from './payments.ts'
export type { ProgressCallback, UploadOptions } from './upload.ts'
export {
  applyAccessCondition,
  createWallet,
  dealStatus,
  decryptFile,
  deleteFile,
  deleteFileWalrus,
  fetchEncryptionKey,
  fund,
  generateKey,
  getAccessConditions,
  getAllKeys,
  getApiKey,
  getAuthMessage,
  getBalance,
  getFileInfo,
  getPrice,
  getQuote,
  getUploads,
  kavach,
  oneTimeAuth,
  posdi,
  publishRecord,
  removeKey,
  revokeFileAccess,
  shareFile,
  textUploadEncrypted,
  upload,
  uploadBuffer,
  uploadCAR,
  uploadEncrypted,
  uploadText,
  walrusBlobs,
}

// biome-ignore lint/style/noDefaultExport: the published module has a default export.
export default {
  applyAccessCondition,
  decryptFile,
  fetchEncryptionKey,
  getAccessConditions,
  getAuthMessage,
  revokeFileAccess,
  shareFile,
  textUploadEncrypted,
  uploadEncrypted,
  createWallet,
  deleteFile,
  deleteFileWalrus,
  getApiKey,
  getBalance,
  getFileInfo,
  getQuote,
  getUploads,
  generateKey,
  getAllKeys,
  publishRecord,
  removeKey,
  fund,
  getPrice,
  oneTimeAuth,
  dealStatus,
  posdi,
  upload,
  uploadBuffer,
  uploadCAR,
  uploadText,
  walrusBlobs,
}

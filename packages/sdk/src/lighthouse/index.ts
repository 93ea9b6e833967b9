// A drop-in for the peer's published SDK: same names, positions, defaults and results; its faults are not copied.
// Functions whose service is not there yet are absent, so that a program finds out when it is built, not when it runs.
import { createWallet, getApiKey, getBalance, getQuote } from './account.ts'
import { deleteFile, getFileInfo, getUploads } from './files.ts'
import { upload, uploadBuffer, uploadCAR, uploadText } from './upload.ts'

export { lighthouseConfig } from './config.ts'
export type { ProgressCallback, UploadOptions } from './upload.ts'
export {
  createWallet,
  deleteFile,
  getApiKey,
  getBalance,
  getFileInfo,
  getQuote,
  getUploads,
  upload,
  uploadBuffer,
  uploadCAR,
  uploadText,
}

// biome-ignore lint/style/noDefaultExport: the module it stands in for is imported by default.
export default {
  createWallet,
  deleteFile,
  getApiKey,
  getBalance,
  getFileInfo,
  getQuote,
  getUploads,
  upload,
  uploadBuffer,
  uploadCAR,
  uploadText,
}

export { readConfig, type StorageConfig, settings } from './config.ts'
export { withoutWalletConnectFile } from './console/routes.ts'
export { findOrCreateS3Credential } from './s3/s3.ts'
export { type Storage, startStorage } from './start.ts'

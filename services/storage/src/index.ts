export { readConfig, type StorageConfig, settings } from './config.ts'
export { withoutWalletConnectFile } from './console/routes.ts'
export { type Storage, startStorage } from './start.ts'

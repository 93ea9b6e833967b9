export { readConfig, type StorageConfig, settings } from './config.ts'
export { type Storage, startStorage } from './start.ts'

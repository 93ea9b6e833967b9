export { announceUploads, withdrawUploads } from './announce-uploads.ts'
export { restartRestoredChain } from './chain.ts'
export { createIpniWorker } from './worker.ts'

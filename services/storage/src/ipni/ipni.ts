export { announceUploads, withdrawUploads } from './announce-uploads.ts'
export { restartRestoredChain } from './chain.ts'
export { checkDenials, isAnnounced } from './publish.ts'
export { createIpniWorker } from './worker.ts'

export { authenticateUploadLink, isUploadLinkToken } from './authenticate.ts'
export { claimUpload, countStored } from './claim.ts'
export { createUploadLinksWorker } from './worker.ts'

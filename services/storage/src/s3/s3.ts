export { createS3App } from './app.ts'
export { createS3Credential, findOrCreateS3Credential } from './credentials.ts'
export { createPublishWorker } from './publish-worker.ts'
export { createS3Worker } from './worker.ts'

export { endAllWriters } from './store.ts'
export { readParts } from './stored-body.ts'
export { createResumableWorker } from './worker.ts'

export { endAllWriters } from './store.ts'
export { readParts } from './stored-body.ts'
export { readTusMethod } from './tus-method.ts'
export { createResumableWorker } from './worker.ts'

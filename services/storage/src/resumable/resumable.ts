export { endAllWriters } from './store.ts'
export { createResumableWorker } from './worker.ts'

export { createResumableWorker } from './worker.ts'

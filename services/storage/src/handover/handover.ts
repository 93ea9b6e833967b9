export { createHandoverWorker } from './worker.ts'

export { createLinksWorker } from './worker.ts'

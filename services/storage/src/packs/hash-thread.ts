import { parentPort } from 'node:worker_threads'
import { hashRanges } from './hash-sha256.ts'
import type { HashAnswer, HashBatch } from './hash-threads.ts'

/** Worker side of `createHashThreads`: hashes blocks in place in shared memory. */
parentPort?.on('message', (batch: HashBatch) => {
  const answer: HashAnswer = { digests: batch.map(({ memory, ranges }) => hashRanges(memory, ranges)) }
  parentPort?.postMessage(answer)
})

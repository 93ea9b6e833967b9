import { parentPort } from 'node:worker_threads'
import { hashRanges } from '../hash-sha256.ts'
import type { HashAnswer, HashTask } from './run-hasher.ts'

/** Worker side of `createRunHasher`: hashes blocks in place, and returns their memory. */
parentPort?.on('message', ({ id, memory, ranges }: HashTask) => {
  const answer: HashAnswer = { id, memory, digests: hashRanges(memory, ranges) }
  parentPort?.postMessage(answer, [memory])
})

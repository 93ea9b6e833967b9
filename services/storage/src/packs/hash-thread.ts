import { parentPort } from 'node:worker_threads'
import { hashRanges } from './hash-sha256.ts'
import type { HashAnswer, HashTask } from './run-hasher.ts'

/** The other side of `createRunHasher`: hashes blocks where they lie in shared memory. */
parentPort?.on('message', ({ id, memory, ranges }: HashTask) => {
  const answer: HashAnswer = { id, digests: hashRanges(memory, ranges) }
  parentPort?.postMessage(answer)
})

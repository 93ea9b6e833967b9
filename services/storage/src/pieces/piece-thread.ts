import { parentPort } from 'node:worker_threads'
import { createPieceHasher, type PieceHasher } from '@cairn/pieces'
import type { PieceAnswer, PieceTask } from './hashing.ts'

let hasher: PieceHasher | undefined

/** Worker side of `createPieceHashing`: handles one piece at a time and returns each buffer for reuse. */
parentPort?.on('message', (task: PieceTask) => {
  if (task.kind === 'bytes') {
    hasher ??= createPieceHasher()
    hasher.write(task.bytes)
    const answer: PieceAnswer = { kind: 'taken', bytes: task.bytes }
    parentPort?.postMessage(answer, [task.bytes.buffer])
    return
  }
  const done = hasher
  hasher = undefined
  if (task.kind === 'drop' || done === undefined) return
  const tree = done.finish()
  const answer: PieceAnswer = { kind: 'tree', tree }
  parentPort?.postMessage(answer)
})

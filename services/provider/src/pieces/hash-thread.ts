import { parentPort } from 'node:worker_threads'
import { createPieceHasher, type PieceHasher } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { HashAnswer, HashQuestion } from './hash-thread-client.ts'

/** The other side of `createHashThread`: commitments, several side by side. */
const hashers = new Map<number, PieceHasher>()

function answer({ id, hasher, kind, bytes }: HashQuestion): HashAnswer {
  if (kind === 'drop') {
    hashers.delete(hasher)
    return { id }
  }
  const found = hashers.get(hasher) ?? createPieceHasher()
  if (kind === 'write') {
    hashers.set(hasher, found)
    found.write(bytes)
    return { id }
  }
  if (kind === 'hash') found.write(bytes)
  hashers.delete(hasher)
  return { id, tree: found.finish() }
}

parentPort?.on('message', (question: HashQuestion) => {
  try {
    parentPort?.postMessage(answer(question))
  } catch (error) {
    hashers.delete(question.hasher)
    const { code, message } = CairnError.from(error)
    parentPort?.postMessage({ id: question.id, fault: { code, message } } satisfies HashAnswer)
  }
})

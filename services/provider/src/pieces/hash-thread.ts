import { parentPort } from 'node:worker_threads'
import { createPieceHasher, type PieceHasher } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { HashAnswer, HashQuestion } from './hash-thread-client.ts'
import { layOutLevels } from './tree-levels.ts'

/** Worker side of `createHashThread`: computes several commitments concurrently. */
const hashers = new Map<number, PieceHasher>()

function openHasher(hasher: number): PieceHasher {
  const found = hashers.get(hasher) ?? createPieceHasher()
  hashers.set(hasher, found)
  return found
}

function answer(question: HashQuestion): HashAnswer {
  const { id, hasher } = question
  switch (question.kind) {
    case 'hash': {
      const once = createPieceHasher()
      once.write(question.bytes)
      return { id, nodes: once.finish().nodes }
    }
    case 'write': {
      openHasher(hasher).write(question.bytes)
      // Not left to the garbage collector, which lets many of them pile up.
      question.bytes.buffer.transfer(0)
      return { id }
    }
    case 'borrow': {
      openHasher(hasher).write(question.bytes)
      return { id, bytes: question.bytes }
    }
    case 'zeros': {
      openHasher(hasher).writeZeros(question.length)
      return { id }
    }
    case 'finish': {
      const tree = (hashers.get(hasher) ?? createPieceHasher()).finish()
      hashers.delete(hasher)
      return { id, hashed: { piece: tree.piece, levels: layOutLevels(tree) } }
    }
    case 'drop':
      hashers.delete(hasher)
      return { id }
  }
}

parentPort?.on('message', (question: HashQuestion) => {
  try {
    const found = answer(question)
    parentPort?.postMessage(found, found.bytes === undefined ? [] : [found.bytes.buffer])
  } catch (error) {
    hashers.delete(question.hasher)
    const { code, message } = CairnError.from(error)
    parentPort?.postMessage({ id: question.id, failure: { code, message } } satisfies HashAnswer)
  }
})

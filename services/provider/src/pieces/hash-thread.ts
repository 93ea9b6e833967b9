import { parentPort } from 'node:worker_threads'
import { createPieceHasher, type PieceHasher } from '@cairn/pieces'
import { CairnError } from '@cairn/protocol'
import type { HashAnswer, HashQuestion } from './hash-thread-client.ts'
import { layOutLevels } from './tree-levels.ts'

/** The other side of `createHashThread`: commitments, several side by side. */
const hashers = new Map<number, PieceHasher>()

function answer({ id, hasher, kind, bytes }: HashQuestion): HashAnswer {
  switch (kind) {
    case 'hash': {
      const once = createPieceHasher()
      once.write(bytes)
      return { id, nodes: once.finish().nodes }
    }
    case 'write': {
      const found = hashers.get(hasher) ?? createPieceHasher()
      hashers.set(hasher, found)
      found.write(bytes)
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
    parentPort?.postMessage(answer(question))
  } catch (error) {
    hashers.delete(question.hasher)
    const { code, message } = CairnError.from(error)
    parentPort?.postMessage({ id: question.id, fault: { code, message } } satisfies HashAnswer)
  }
})

import { parentPort } from 'node:worker_threads'
import { createBodyDigests, type ImmediateDigests } from './body-digests.ts'
import type { DigestAnswer, DigestQuestion } from './digest-thread-client.ts'

/** Worker side of `createDigestThread`: computes the digests of several bodies, each in the order of its pieces. */
const bodies = new Map<number, ImmediateDigests>()

parentPort?.on('message', async (question: DigestQuestion) => {
  const { body } = question
  switch (question.kind) {
    case 'begin':
      bodies.set(body, createBodyDigests(question.wanted))
      break
    case 'piece': {
      const { memory, length } = question
      bodies.get(body)?.update(new Uint8Array(memory, 0, length))
      parentPort?.postMessage({ body, memory } satisfies DigestAnswer, [memory])
      break
    }
    case 'finish': {
      const digests = await bodies.get(body)?.finish()
      bodies.delete(body)
      parentPort?.postMessage({ body, digests } satisfies DigestAnswer)
      break
    }
    case 'drop':
      bodies.delete(body)
  }
})

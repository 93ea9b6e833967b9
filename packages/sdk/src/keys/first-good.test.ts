import { CairnError, type ErrorCode } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { firstGood } from './first-good.ts'

const nodes = [1, 2, 3, 4, 5]

/** Asks five nodes of which each fails with a code, or answers its number. */
async function ask(...codes: (ErrorCode | undefined)[]) {
  const asked: number[] = []
  const answer = firstGood(nodes, async (node) => {
    asked.push(node)
    const code = codes[node - 1]
    if (code !== undefined) throw new CairnError(code)
    return node
  })
  const outcome = await answer.catch((error: unknown) => (CairnError.is(error) ? error.code : error))
  return { outcome, asked: asked.length }
}

test('the first node that answers is enough', async () => {
  expect(await ask()).toEqual({ outcome: 1, asked: 1 })
  expect(await ask('NETWORK_ERROR', 'TIMEOUT', undefined)).toEqual({ outcome: 3, asked: 3 })
})

test('two nodes that refuse keep nobody from the answer of the third; three do', async () => {
  expect(await ask('ACCESS_DENIED', 'KEY_NOT_FOUND', undefined)).toEqual({ outcome: 3, asked: 3 })
  expect(await ask('ACCESS_DENIED', 'ACCESS_DENIED', undefined)).toEqual({ outcome: 3, asked: 3 })
  expect(await ask('KEY_NOT_FOUND', 'NETWORK_ERROR', 'KEY_NOT_FOUND', 'KEY_NOT_FOUND', undefined)).toEqual({
    outcome: 'KEY_NOT_FOUND',
    asked: 4,
  })
})

test('where nobody answers, what most say is said; who stops is not asked on for', async () => {
  expect((await ask('ACCESS_DENIED', 'NETWORK_ERROR', 'NETWORK_ERROR', 'TIMEOUT', 'NETWORK_ERROR')).outcome).toBe(
    'NETWORK_ERROR',
  )
  expect(await ask('ABORTED')).toEqual({ outcome: 'ABORTED', asked: 1 })
})

import { CairnError, type ErrorCode, restoreError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { firstSuccessful } from './first-successful.ts'

const nodes = [1, 2, 3, 4, 5]

/** Calls five nodes, each of which fails with a code or returns its number. */
async function callNodes(...codes: (ErrorCode | undefined)[]) {
  const calls: number[] = []
  const answer = firstSuccessful(nodes, async (node) => {
    calls.push(node)
    const code = codes[node - 1]
    if (code !== undefined) throw restoreError(code)
    return node
  })
  const outcome = await answer.catch((error: unknown) => (CairnError.is(error) ? error.code : error))
  return { outcome, calls: calls.length }
}

test('the first answer is enough', async () => {
  expect(await callNodes()).toEqual({ outcome: 1, calls: 1 })
  expect(await callNodes('NETWORK_ERROR', 'TIMEOUT', undefined)).toEqual({ outcome: 3, calls: 3 })
})

test('waits for a third node after two rejections; three rejections are final', async () => {
  expect(await callNodes('ACCESS_DENIED', 'KEY_NOT_FOUND', undefined)).toEqual({ outcome: 3, calls: 3 })
  expect(await callNodes('ACCESS_DENIED', 'ACCESS_DENIED', undefined)).toEqual({ outcome: 3, calls: 3 })
  expect(await callNodes('KEY_NOT_FOUND', 'NETWORK_ERROR', 'KEY_NOT_FOUND', 'KEY_NOT_FOUND', undefined)).toEqual({
    outcome: 'KEY_NOT_FOUND',
    calls: 4,
  })
})

test('throws the most frequent error without an answer; an abort stops the calls', async () => {
  expect((await callNodes('ACCESS_DENIED', 'NETWORK_ERROR', 'NETWORK_ERROR', 'TIMEOUT', 'NETWORK_ERROR')).outcome).toBe(
    'NETWORK_ERROR',
  )
  expect(await callNodes('ABORTED')).toEqual({ outcome: 'ABORTED', calls: 1 })
})

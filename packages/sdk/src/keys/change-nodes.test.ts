import { CairnError } from '@cairn/protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createClient } from '../client.ts'
import { changeNodes } from './change-nodes.ts'

const base = 'http://127.0.0.1:9'
const client = createClient({
  network: { name: 'local', api: base, upload: base, gateway: base, keyRouter: base, keyNodes: [] },
})

type Code = 'ACCESS_DENIED' | 'KEY_NOT_FOUND' | 'TIMEOUT'

/** Makes a change on nodes, some of which fail once for each listed error, after a delay. */
function change(failures: Record<number, Code[]>, onFailure: () => void = () => undefined) {
  const calls: number[] = []
  const callOne = async (node: number) => {
    calls.push(node)
    const code = failures[node]?.shift()
    if (code === undefined) return
    onFailure()
    throw new CairnError(code)
  }
  return { calls, result: changeNodes(client, callOne, { pauseMs: 0, retryMs: 0 }) }
}

const named = (pending: readonly { node: number; error: CairnError }[]) =>
  pending.map(({ node, error }) => [node, error.code])

test('reports a node that refused when others were retried after it, and calls it once', async () => {
  const { calls, result } = change({ 1: ['ACCESS_DENIED'], 2: ['TIMEOUT'], 3: ['TIMEOUT', 'TIMEOUT'] })
  const { done, pending, isEffective } = await result
  expect(calls).toEqual([1, 2, 3, 4, 5, 2, 3])
  expect(done).toEqual([2, 4, 5])
  expect(isEffective).toBe(true)
  expect(named(pending)).toEqual([
    [1, 'ACCESS_DENIED'],
    [3, 'TIMEOUT'],
  ])
})

test('a change on fewer than three nodes reports all others', async () => {
  const offline: Code[] = ['TIMEOUT', 'TIMEOUT', 'TIMEOUT']
  const { result } = change({ 1: ['KEY_NOT_FOUND'], 2: [...offline], 3: [...offline], 4: ['TIMEOUT'] })
  await expect(result).rejects.toMatchObject({
    code: 'CHANGE_INCOMPLETE',
    details: {
      done: [4, 5],
      pending: [
        { node: 1, code: 'KEY_NOT_FOUND' },
        { node: 2, code: 'TIMEOUT' },
        { node: 3, code: 'TIMEOUT' },
      ],
    },
  })
})

test('a refusal ends a change that no node applied, without further calls', async () => {
  const { calls, result } = change({
    1: ['TIMEOUT'],
    2: ['ACCESS_DENIED'],
    3: ['TIMEOUT'],
    4: ['TIMEOUT'],
    5: ['TIMEOUT'],
  })
  await expect(result).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  expect(calls).toEqual([1, 2, 3, 4, 5])
})

test('nodes that were silent for as long as three calls take are not called again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const silent: Code[] = ['TIMEOUT', 'TIMEOUT', 'TIMEOUT']
  const failures = { 2: [...silent], 3: [...silent], 5: [...silent] }
  const { calls, result } = change(failures, () => vi.advanceTimersByTime(8000))
  await expect(result).rejects.toMatchObject({ code: 'CHANGE_INCOMPLETE', details: { done: [1, 4] } })
  expect(calls).toEqual([1, 2, 3, 4, 5])
})

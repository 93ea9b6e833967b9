import { pieceStates } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createProviderMetrics } from './metrics.ts'

const pieces = { queued: 1, pulling: 2, kept: 3, failed: 4, damaged: 5 }

test('pieces that cannot be counted have no value, and all other metrics can still be read', async () => {
  let isAvailable = true
  let counts = 0
  const problems: unknown[] = []
  const count = async () => {
    counts++
    if (!isAvailable) throw new Error('the database is unavailable')
    return { usedBytes: 6, queuedBytes: 1, pieces }
  }
  const { registry, pulledBytes } = createProviderMetrics(100, count, {
    failed: (_key, error, _text, details) => void problems.push([String(error), details?.['state']]),
  })
  pulledBytes.inc(7)
  // Without process metrics, which change.
  const read = async () => (await registry.metrics()).match(/^cairn_provider_.*\n/gm)?.join('') ?? ''
  const known = await read()
  expect(known).toContain('cairn_provider_used_bytes 6\n')
  for (const state of pieceStates) expect(known).toContain(`cairn_provider_pieces{state="${state}"} ${pieces[state]}\n`)
  // One per gauge, not per state.
  expect([counts, problems]).toEqual([2, []])

  isAvailable = false
  const unknown = await read()
  expect(unknown).toContain('cairn_provider_capacity_bytes 100\n')
  expect(unknown).toContain('cairn_provider_pulled_bytes_total 7\n')
  expect(unknown).not.toMatch(/^cairn_provider_(?:used_bytes|pieces)/m)
  expect(problems).toContainEqual(['Error: the database is unavailable', 'kept'])

  isAvailable = true
  expect(await read()).toBe(known)
})

import { createAddressSlots } from '@cairn/service'
import { createFileImporter, type ImportProfile, importProfiles } from '@cairn/unixfs'
import { expect, test } from 'vitest'
import { codeOf } from '../../../../tests/code-of.ts'
import type { Context } from '../context.ts'
import { writeCar } from '../gateway/serving/serve-car.ts'
import { blockKey, makeBytes, sha256 } from '../gateway/test-gateway.fixture.ts'
import { walkNodes } from '../ipni/ipni.ts'
import { countTurns } from '../resources/count-turns.fixture.ts'
import { beginCount } from './count-blocks.ts'

const { signal } = new AbortController()

/** A file of a root and ten leaves. */
async function makeFile(options: Partial<ImportProfile> = {}) {
  const blocks = new Map<string, Uint8Array>()
  const profile = { ...importProfiles.v1, ...options, chunkSizeBytes: 100 }
  const sink = {
    put: (cid: Parameters<typeof blockKey>[0], bytes: Uint8Array) => void blocks.set(blockKey(cid), bytes.slice()),
  }
  const file = createFileImporter({ profile, hash: sha256, sink })
  await file.write(makeBytes(1000))
  const { cid } = await file.finish()
  return { cid, source: { get: async (wanted: typeof cid) => blocks.get(blockKey(wanted)) ?? new Uint8Array() } }
}

test('all DAGs of a count share one maximum of blocks', async () => {
  const { cid, source } = await makeFile()
  const slots = createAddressSlots({ max: 1, maxPerAddress: 1 })
  const count = beginCount('192.0.2.1', { maxBlocks: 22, freeBlocks: 100, slots })
  await count.add(source, cid, signal)
  await count.add(source, cid, signal)
  expect(count.result()).toMatchObject({ stats: [{ NumBlocks: 11 }, { NumBlocks: 11 }], uniqueBlocks: 11 })
  await expect(count.add(source, cid, signal)).rejects.toMatchObject({ code: 'TOO_LARGE' })
})

test('few clients count large DAGs at a time, and any number count small ones', async () => {
  const { cid, source } = await makeFile()
  const slots = createAddressSlots({ max: 1, maxPerAddress: 1 })
  const begin = (freeBlocks: number) => beginCount('192.0.2.1', { maxBlocks: 100, freeBlocks, slots })
  const first = begin(10)
  await first.add(source, cid, signal)
  const second = begin(10)
  expect(await codeOf(second.add(source, cid, signal))).toBe('OVERLOADED')
  second.end()
  await begin(11).add(source, cid, signal)
  first.end()
  await begin(10).add(source, cid, signal)
})

test('other work runs while a DAG whose blocks come without a pause is counted, written as a CAR or listed', async () => {
  const { cid, source } = await makeFile({ rawLeaves: false })
  const busy: typeof source = {
    get(wanted) {
      const readyAt = performance.now() + 15
      while (performance.now() < readyAt);
      return source.get(wanted)
    },
  }
  const slots = createAddressSlots({ max: 1, maxPerAddress: 1 })
  const count = beginCount('192.0.2.1', { maxBlocks: 22, freeBlocks: 100, slots })
  const counted = await countTurns(() => count.add(busy, cid, signal))
  expect(counted.turns).toBeGreaterThanOrEqual(10)
  const written = await countTurns(() =>
    Array.fromAsync(writeCar({ source: busy }, { cid, blocks: [cid] }, { signal })),
  )
  expect(written.turns).toBeGreaterThanOrEqual(10)
  expect(written.result).toHaveLength(12)
  const packs = { openReader: () => ({ ...busy, close: () => undefined }) } as Context['packs']
  const listed = await countTurns(() => Array.fromAsync(walkNodes({ packs }, cid, { signal })))
  expect(listed.turns).toBeGreaterThanOrEqual(10)
  expect(listed.result).toHaveLength(11)
})

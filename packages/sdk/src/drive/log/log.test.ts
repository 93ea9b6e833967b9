// What this device writes to the log of a drive, and when it merges it.
import type { DrivePart } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { type Client, createClient } from '../../client.ts'
import { appendChanges, createLog, type DriveLog, mergeParts, needsMerge } from './log.ts'
import { derivePartKey } from './part.ts'
import type { Change } from './registers.ts'
import { createStamp } from './stamp.ts'

const MIB = 1024 * 1024

/** A service that stores one drive in memory. */
function createService(): { client: Client; parts: DrivePart[]; reads: () => number } {
  const parts: DrivePart[] = []
  let revision = 0
  let reads = 0
  const fetch: Client['fetch'] = async (_input, init) => {
    if (init?.method === 'GET') {
      reads++
      return Response.json({ revision, parts })
    }
    const { revision: _read, ...part }: DrivePart & { revision: number } = JSON.parse(String(init?.body))
    const from = parts.findIndex(({ first }) => first >= part.first)
    const replaced = parts.filter(({ first, last }) => first >= part.first && last <= part.last)
    parts.splice(from === -1 ? parts.length : from, replaced.length, part)
    revision = Math.max(revision, part.last)
    return Response.json({ revision })
  }
  const base = 'http://service.test'
  const network = { name: 'test', api: base, upload: base, gateway: base }
  return { client: createClient({ network, apiKey: 'key', fetch }), parts, reads: () => reads }
}

async function createOpenLog(): Promise<DriveLog> {
  return { ...createLog(), key: { cid: `bafkrei${'a'.repeat(52)}`, parts: await derivePartKey('1'.repeat(64)) } }
}

/** Incompressible values, so that a few of them make a large drive. */
function createRandomChange(ms: number): Change {
  const at = createStamp(undefined, ms, 'deviceA1')
  const values = Array.from({ length: 200 }, (_, i): Change['set'][number] => {
    const bytes = crypto.getRandomValues(new Uint8Array(3000))
    return [`d-${ms}-${i}`, 'name', btoa(String.fromCharCode(...bytes))]
  })
  return { at, set: values, clear: [] }
}

const append = (client: Client, log: DriveLog, changes: readonly Change[]) =>
  appendChanges(client, log, changes, { onChanges: () => undefined })

test('merges a large drive once, and again when it has grown', { timeout: 60_000 }, async () => {
  const { client, reads } = createService()
  const log = await createOpenLog()
  for (let ms = 1; !needsMerge(log); ms++) await append(client, log, [createRandomChange(ms)])
  expect(log.sizeBytes).toBeGreaterThan(8 * MIB - 1)
  expect(await mergeParts(client, log, {})).toBe(true)
  // Later values have replaced nothing.
  expect(log.sizeBytes).toBeGreaterThan(8 * MIB - 1)
  expect({ needed: needsMerge(log), reads: reads() }).toEqual({ needed: false, reads: 1 })
  const rename: Change = { at: createStamp(undefined, 1000, 'deviceA1'), set: [['d-1-1', 'name', 'n']], clear: [] }
  await append(client, log, [rename])
  expect(needsMerge(log)).toBe(false)
  await append(client, log, [createRandomChange(2000)])
  expect(needsMerge(log)).toBe(true)
})

test('merges a drive near its limits with each change', () => {
  const merged = (partCount: number, sizeBytes: number) => ({ partCount, sizeBytes, merged: { partCount, sizeBytes } })
  expect(needsMerge({ ...createLog(), ...merged(200, 9 * MIB) })).toBe(false)
  expect(needsMerge({ ...createLog(), ...merged(240, 9 * MIB) })).toBe(true)
  expect(needsMerge({ ...createLog(), ...merged(20, 15.5 * MIB) })).toBe(true)
  expect(needsMerge({ ...createLog(), partCount: 63, sizeBytes: 1 })).toBe(false)
  expect(needsMerge({ ...createLog(), partCount: 64, sizeBytes: 1 })).toBe(true)
})

test('does not store a value that no device could read', async () => {
  const { client, parts } = createService()
  const log = await createOpenLog()
  const at = createStamp(undefined, 1, 'deviceA1')
  // After the year 5188, a clock has no stamp of nine digits.
  const late = createStamp(undefined, 36 ** 9, 'deviceA1')
  const unreadable: Change[] = [
    { at, set: [['x', 'name', 'n'.repeat(4097)]], clear: [] },
    { at, set: [['x', 'trashedAt', 0.5]], clear: [] },
    { at: late, set: [['x', 'name', 'n']], clear: [] },
  ]
  for (const change of unreadable) {
    await expect(append(client, log, [change])).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  }
  expect(parts).toEqual([])
  await append(client, log, [{ at, set: [['x', 'name', 'n']], clear: [] }])
  expect(parts).toHaveLength(1)
})

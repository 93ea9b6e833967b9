import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { expect, test } from 'vitest'
import { countTurns } from '../resources/count-turns.fixture.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { insertUploads, type NewUpload } from '../uploads/store.ts'
import { listPins, writePins } from './account-pins.ts'

const address = '0x1111111111111111111111111111111111111111'

function makeUpload(at: number): NewUpload {
  const digest = create(0x12, createHash('sha256').update(String(at)).digest())
  const time = 1_700_000_000_000 + at
  return {
    id: `018bcfe5-0000-7000-8000-${String(at).padStart(12, '0')}`,
    address,
    cid: CID.createV1(0x55, digest).toString(),
    root_multihash: digest.bytes,
    name: `file ${at}`,
    mime_type: null,
    size_bytes: 1,
    dag_size_bytes: 1,
    encryption: 0,
    storage_type: null,
    kind: 'file',
    status: 'stored',
    created_at: time,
    is_private: 0,
    updated_at: time,
  }
}

test('a list of many pins lets other work run', async () => {
  await using storage = await startTestStorage()
  const { context } = storage
  const limits = { created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
  const uploads = Array.from({ length: 5000 }, (_, at) => makeUpload(at))
  await context.db.write(async (trx) => {
    await trx
      .insertInto('account')
      .values({ address, ...limits })
      .execute()
    for (let at = 0; at < uploads.length; at += 1000) {
      await insertUploads(trx, context.db.kind, address, uploads.slice(at, at + 1000))
    }
  })
  const { signal } = new AbortController()
  const { result, turns } = await countTurns(() => Array.fromAsync(listPins(context, address, signal)))
  expect(result.map(({ name }) => name)).toEqual(uploads.map(({ name }) => name).toReversed())
  expect(turns).toBeGreaterThanOrEqual(5)
})

test('pins are written as one line of JSON, in pieces', async () => {
  for (const count of [0, 1, 1201]) {
    const pins = new Map(
      Array.from({ length: count }, (_, at) => [`cid ${at}`, { Type: 'recursive', Name: `"${at}"` }] as const),
    )
    const { result: pieces, turns } = await countTurns(() => Array.fromAsync(writePins(pins)))
    const expected = count === 0 ? {} : { Keys: Object.fromEntries(pins) }
    expect(pieces.join('')).toBe(`${JSON.stringify(expected)}\n`)
    expect(turns).toBeGreaterThanOrEqual(count / 500)
  }
})

// Lists of more pins than one step reads, against the same filters in JavaScript, on both databases.
import { uuidv7 } from '@cairn/service'
import { describe, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import type { PinTable } from '../db/schema.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { countTurns } from '../resources/count-turns.fixture.ts'
import { startTestStorage } from '../start-test-storage.fixture.ts'
import { listPins, type PinQuery } from './list-pins.ts'

const address = '0x1111111111111111111111111111111111111111'
const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const statuses = ['queued', 'pinned', 'failed', 'pinned'] as const
const count = 12_000

/** Metadata that PostgreSQL cannot read, and metadata that only looks like it. */
const unreadable: Record<number, Record<string, string>> = {
  7: { app: 'app 0\u0000' },
  8: { app: 'half \ud83d' },
  10: { app: 'C:\\u0000', kind: 'c' },
  11: { app: 'C:\\ud83d 👍', kind: 'c' },
}

const pins: PinTable[] = Array.from({ length: count }, (_, at) => {
  const name = at % 9 === 0 ? null : `${at % 5 === 0 ? 'Report' : 'photo'} ${at % 4000}`
  return {
    id: uuidv7(1_700_000_000_000 + at),
    address,
    cid,
    cid_v1: cid,
    name,
    name_lower: name?.toLowerCase() ?? null,
    origins: '[]',
    meta: JSON.stringify(at % 6 === 0 ? { app: `app ${at % 4}`, kind: 'a' } : (unreadable[at] ?? {})),
    status: statuses[at % 4] ?? 'queued',
    details: null,
    upload_id: null,
    replaced_upload_id: null,
    owner: null,
    owner_until: null,
    tries: 0,
    // Not due, so that no worker takes it.
    next_at: 9_000_000_000_000,
    created_at: 1_700_000_000_000 + at * 10,
  }
})

/** What a list should return, newest first. */
function expected({ name = '', match, status, before = Infinity, after = 0, meta = {} }: PinQuery): PinTable[] {
  const isIgnoringCase = match.startsWith('i')
  const text = isIgnoringCase ? name.toLowerCase() : name
  const fits = (pin: PinTable): boolean => {
    const own = isIgnoringCase ? pin.name_lower : pin.name
    const entries: Record<string, unknown> = JSON.parse(pin.meta)
    return (
      (name === '' || (match.endsWith('exact') ? own === text : own?.includes(text) === true)) &&
      (status === undefined || status.includes(pin.status)) &&
      pin.created_at < before &&
      pin.created_at > after &&
      Object.entries(meta).every(([key, value]) => entries[key] === value)
    )
  }
  return pins.filter(fits).toReversed()
}

const plain = { limit: 1000, match: 'exact' } as const
const queries: PinQuery[] = [
  { ...plain, name: 'photo 123' },
  { ...plain, name: 'PHOTO 123', match: 'iexact', status: ['pinned', 'failed'] },
  { ...plain, name: 'photo 123', status: ['failed'], meta: { kind: 'a' } },
  { ...plain, name: 'port 1', match: 'partial' },
  { ...plain, name: 'PORT 10', match: 'ipartial', status: ['queued'] },
  { ...plain, name: 'nothing', match: 'partial' },
  { ...plain, meta: { app: 'app 0' } },
  { ...plain, meta: { kind: 'c' } },
  { ...plain, meta: { app: 'app 2', kind: 'a' }, limit: 7 },
  { ...plain, status: ['queued', 'failed'] },
  { ...plain, status: ['pinned', 'failed', 'pinned'], limit: 9, before: 1_700_000_090_005 },
  { ...plain, status: ['queued'] },
  { ...plain, name: 'photo', match: 'partial', before: 1_700_000_090_000, after: 1_700_000_010_000 },
]

async function insertPins({ db }: Pick<Context, 'db'>): Promise<void> {
  const limits = { created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
  await db.write(async (trx) => {
    await trx
      .insertInto('account')
      .values({ address, ...limits })
      .execute()
    for (let at = 0; at < count; at += 500) {
      await trx
        .insertInto('pin')
        .values(pins.slice(at, at + 500))
        .execute()
    }
  })
}

describe('lists of pins', () => {
  describeOnDatabases('on %s', (newDatabase) => {
    test('filter pins in all steps, and let other work run between these', async () => {
      await using storage = await startTestStorage(await newDatabase())
      const { context } = storage
      await insertPins(context)
      for (const query of queries) {
        const wanted = expected(query)
        const { rows, count: total } = await listPins(context, address, query)
        const what = JSON.stringify(query)
        expect(total, what).toBe(wanted.length)
        expect(
          rows.map(({ id }) => id),
          what,
        ).toEqual(wanted.slice(0, query.limit).map(({ id }) => id))
      }
      const { turns } = await countTurns(() => listPins(context, address, { ...plain, meta: { app: 'none' } }))
      expect(turns).toBeGreaterThanOrEqual(3)
    })
  })
})

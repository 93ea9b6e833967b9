// How SQLite runs frequent lookups: through an index with the compared columns, and without sorting other columns, so that
// the cost does not depend on the number of rows of an account, a content or a webhook.
import { type PlannedDatabase, planQueries } from '@cairn/service/query-plans-fixture'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { findEgress } from '../egress/egress.ts'
import { deleteFiles, findOwnUpload, findUpload } from '../files/files.ts'
import { findManagers } from '../files/managed-uploads.ts'
import { findLinkable } from '../gateway-links/store.ts'
import { renewNames } from '../names/worker.ts'
import { check } from '../packs/checking/check.ts'
import { reconcile } from '../payments/reconcile.ts'
import { listPins } from '../pins/list-pins.ts'
import { findDuePins, insertPin } from '../pins/store.ts'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { findThumbnails } from '../thumbnails/store.ts'
import { findDueWebhooks, takeDelivery } from '../webhooks/deliveries.ts'
import type { Schema } from './schema.ts'

const text = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const cid = CID.parse(text)
const address = '0x1111111111111111111111111111111111111111'
const notFound = { code: 'NOT_FOUND' }

let storage: TestStorage
let planned: PlannedDatabase<Schema>
let context: Context
beforeAll(async () => {
  storage = await startTestStorage()
  planned = planQueries(storage.context.db)
  context = { ...storage.context, db: planned.database }
  const limits = { created_at: 1, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 }
  await storage.context.db.write((trx) =>
    trx
      .insertInto('account')
      .values({ address, ...limits })
      .execute(),
  )
})
afterAll(() => storage?.[Symbol.asyncDispose]())

test('finds records of names without an account by their expiry and their age', async () => {
  await renewNames(context, new AbortController().signal)
  const steps = (await planned.explain()).filter((step) => step.includes('ipns_name'))
  expect(steps).toHaveLength(5)
  for (const index of ['unlisted (valid_until<?)', 'unlisted_age (updated_at<?)', 'renew (renew_at<?)']) {
    expect(steps.filter((step) => step.endsWith(`INDEX ipns_name_${index}`))).not.toEqual([])
  }
})

test('finds uploads of a content, and of an account, in their index', async () => {
  const cases = {
    upload_content: [() => expect(findUpload(context, cid)).rejects.toMatchObject(notFound)],
    upload_own_content: [
      () => findOwnUpload(context, address, cid),
      () => findLinkable(context.db.read, address, cid),
      () => findThumbnails(context, address, [text]),
      () => expect(deleteFiles(context, address, { cid })).rejects.toMatchObject(notFound),
    ],
  }
  for (const [index, lookups] of Object.entries(cases)) {
    for (const lookup of lookups) {
      await lookup()
      const steps = (await planned.explain()).filter((step) => step.includes(' upload '))
      expect(steps).not.toEqual([])
      for (const step of steps) {
        expect(step).toMatch(new RegExp(`^SEARCH upload (EXISTS )?USING (COVERING )?INDEX ${index} \\(.+ AND .+\\)$`))
      }
    }
  }
})

test('lookups sort nothing and read no table as a whole', async () => {
  const query = { limit: 10, match: 'exact' } as const
  const lookups = [
    () => findUpload(context, cid).catch(() => undefined),
    () => findOwnUpload(context, address, cid),
    () => findLinkable(context.db.read, address, cid),
    () => listPins(context, address, query),
    () => listPins(context, address, { ...query, status: ['queued'] }),
    () => listPins(context, address, { ...query, status: ['queued', 'failed'], before: 2 }),
    () => listPins(context, address, { ...query, name: 'a', status: ['pinned', 'failed'] }),
    () => listPins(context, address, { ...query, name: 'a', match: 'iexact', before: 2, after: 1 }),
    () => listPins(context, address, { ...query, name: 'a', match: 'partial' }),
    () => findDuePins(context, [], 10),
    () => insertPin(context, address, { cid: text, name: '' }, cid),
    () => takeDelivery(context, 'webhook', 'owner'),
  ]
  for (const lookup of lookups) {
    await lookup()
    const steps = await planned.explain()
    expect(steps).not.toEqual([])
    expect(
      steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step)),
      lookup.toString(),
    ).toEqual([])
  }
})

test('finds the manager of an upload in an index', async () => {
  await insertPin(storage.context, address, { cid: text, name: '' }, cid)
  await storage.context.db.write((trx) =>
    trx.insertInto('s3_bucket').values({ name: 'bucket', address, created_at: 1 }).execute(),
  )
  await planned.explain()
  expect(await findManagers(context.db.read, address, ['a', 'b'])).toEqual(new Map())
  const steps = await planned.explain()
  for (const index of ['pin_upload', 's3_object_version', 's3_bucket_root', 's3_bucket_previous_root']) {
    expect(steps.filter((step) => step.includes(` INDEX ${index} (`))).toHaveLength(1)
  }
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual([])
})

test('finds pins of a name in its index, whatever their states', async () => {
  await planned.explain()
  const indexes = { exact: 'pin_name', iexact: 'pin_name_lower' } as const
  for (const match of ['exact', 'iexact'] as const) {
    for (const status of [undefined, ['pinned' as const]]) {
      await listPins(context, address, { limit: 10, match, name: 'a', ...(status === undefined ? {} : { status }) })
      for (const step of await planned.explain()) expect(step).toContain(`INDEX ${indexes[match]} (address=? AND name`)
    }
  }
})

test('finds pins of a CID, and due messages, in their index', async () => {
  await planned.explain()
  await listPins(context, address, { limit: 10, match: 'exact', cid: [text] })
  const pins = await planned.explain()
  const lookup = 'SEARCH own USING INDEX pin_cid (address=? AND cid_v1=?)'
  expect(pins.filter((step) => /^(SEARCH|SCAN) /.test(step) && !step.includes('(id=?)'))).toEqual([lookup, lookup])
  await findDueWebhooks(context, 10)
  expect((await planned.explain())[0]).toContain('webhook_delivery_open')
})

test('finds the sent bytes of an account from its roots', async () => {
  await planned.explain()
  await findEgress(context, address, 30)
  const steps = await planned.explain()
  expect(steps.filter((step) => step.includes(' egress '))).toEqual([
    'SEARCH egress USING INDEX egress_root (root_multihash=? AND day>?)',
  ])
  expect(steps.filter((step) => step.includes(' upload '))).toEqual([
    'SEARCH upload USING COVERING INDEX upload_own_content (address=?)',
  ])
})

test('comparisons of all rows read ranges of them', async () => {
  await planned.explain()
  expect(await Array.fromAsync(check(context))).toEqual([])
  await reconcile(context)
  const steps = await planned.explain()
  expect(steps.filter((step) => /^SCAN (account|pack|upload)( |$)/.test(step))).toEqual([
    // A few packs, and the number of accounts.
    'SCAN pack USING INDEX pack_held',
    expect.stringContaining('SCAN account USING COVERING INDEX'),
  ])
})

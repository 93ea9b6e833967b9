// On PostgreSQL, units of work that lock a bucket and its account in opposite orders wait for each other until one of them fails.
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrations } from '../../db/database.ts'
import type { Schema } from '../../db/schema.ts'
import { deleteFiles, deleteFilesIn } from '../../files/files.ts'
import { announceUploads } from '../../ipni/ipni.ts'
import { reserveSpace } from '../../ledger/ledger.ts'
import { feedFrom } from '../../multipart/read-multipart.ts'
import { holdOthers } from '../../packs/packs.ts'
import { runStoredPin } from '../../pins/run-pin.ts'
import { insertPin, requirePin } from '../../pins/store.ts'
import { dropUpload, selectUploads, toUpload } from '../../resumable/store.ts'
import { failUpload } from '../../resumable/store-upload.ts'
import { putTag } from '../../upload-tags/store.ts'
import { addParts, fileSource, readUploadSettings } from '../../uploads/uploads.ts'
import { publishBucket, publishChanges } from '../publish/publish-bucket.ts'
import { startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'

let postgres: PostgresFixture
let s3: TestS3
beforeAll(async () => {
  postgres = await startPostgres(migrations)
  s3 = await startTestS3({ CAIRN_DATABASE_URL: await postgres.createDatabase() })
  await signedFetch(s3, '/order', { method: 'PUT' })
  await signedFetch(s3, '/order/first', { method: 'PUT', body: 'first' })
})
afterAll(async () => {
  await s3?.[Symbol.asyncDispose]()
  await postgres?.stop()
})

const part = 'the only part'
/** Creates a multipart upload, and returns the address of its part. */
async function createUpload(key: string): Promise<string> {
  const { body } = await signedFetch(s3, `/order/${key}?uploads=`, { method: 'POST' })
  return `/order/${key}?partNumber=1&uploadId=${/<UploadId>(.*)<\/UploadId>/.exec(body)?.[1]}`
}
const complete = (partPath: string) => {
  const etag = createHash('md5').update(part).digest('hex')
  const xml = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`
  return signedFetch(s3, partPath.replace('partNumber=1&', ''), { method: 'POST', body: xml })
}

const lockBucketRow = (trx: Kysely<Schema>) => sql`select 1 from s3_bucket where name = 'order' for update`.execute(trx)

/** The units that wait for a backend. Workers of the service may be among them. */
const waitingFor = (pid: number | undefined) =>
  sql`select pid, backend_xid from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`

/** Whether no unit that waits for a backend has locked rows. The lock of a worker that does not wait for it ends soon. */
async function isFree(trx: Kysely<Schema>, rows: RawBuilder<unknown>, pid: number | undefined): Promise<boolean> {
  const unlocked = sql`select 1 from ${rows} for update skip locked`
  const ofWaiting = sql`select 1 from ${rows}
    and xmax::text in (select backend_xid::text from (${waitingFor(pid)}) as waiting where backend_xid is not null)`
  for (;;) {
    if ((await unlocked.execute(trx)).rows.length > 0) return true
    if ((await ofWaiting.execute(s3.context.db.read)).rows.length > 0) return false
    await delay(5)
  }
}

/** Starts work in a unit that holds a lock until the work waits for it, and returns whether rows are still unlocked then. */
async function areFree(
  lock: (trx: Kysely<Schema>) => Promise<unknown>,
  work: () => Promise<unknown>,
  rows: readonly RawBuilder<unknown>[] = [sql`account where address = ${s3.address}`],
): Promise<boolean[]> {
  const { db } = s3.context
  let working: Promise<unknown> | undefined
  const found: boolean[] = []
  await db.write(async (trx) => {
    await lock(trx)
    working = work()
    const holder = sql<{ pid: number }>`select pg_backend_pid() as pid`
    const pid = (await holder.execute(trx)).rows[0]?.pid
    while ((await waitingFor(pid).execute(db.read)).rows.length === 0) await delay(5)
    for (const one of rows) found.push(await isFree(trx, one, pid))
  })
  await working
  return found
}

test.each([
  ['a PUT', async () => () => signedFetch(s3, '/order/put', { method: 'PUT', body: 'put' })],
  [
    'a copy',
    async () => () =>
      signedFetch(s3, '/order/copy', { method: 'PUT', headers: { 'x-amz-copy-source': '/order/first' } }),
  ],
  [
    'a completion',
    async () => {
      const path = await createUpload('parts')
      await signedFetch(s3, path, { method: 'PUT', body: part })
      return () => complete(path)
    },
  ],
  [
    'a publication',
    async () => {
      const { signal } = new AbortController()
      await publishBucket(s3.context, s3.address, 'order', signal)
      await signedFetch(s3, '/order/changed', { method: 'PUT', body: 'changed' })
      return () => publishChanges(s3.context, 'order', signal)
    },
  ],
] as const)('%s that waits for its bucket has not locked the account', async (_title, prepare) => {
  const work = await prepare()
  expect(await areFree(lockBucketRow, work)).toEqual([true])
})

test('a first publication that waits for its bucket has not locked the account', async () => {
  await signedFetch(s3, '/named', { method: 'PUT' })
  const lock = (trx: Kysely<Schema>) => sql`select 1 from s3_bucket where name = 'named' for update`.execute(trx)
  const { signal } = new AbortController()
  expect(await areFree(lock, () => publishBucket(s3.context, s3.address, 'named', signal))).toEqual([true])
})

test('a part that waits for its reservation does not lock the account', async () => {
  const path = await createUpload('reserved')
  const lockReservation = (trx: Kysely<Schema>) => sql`select 1 from reservation for update`.execute(trx)
  const upload = () => signedFetch(s3, path, { method: 'PUT', body: part })
  expect(await areFree(lockReservation, upload)).toEqual([true])
  expect((await complete(path)).status).toBe(200)
})

const shared = 'stored through S3 and as a file'
const addShared = () =>
  addParts(
    s3.context,
    s3.address,
    fileSource(feedFrom([Buffer.from(shared)]), { fileName: 'shared', sizeBytes: shared.length }),
    { ...readUploadSettings({}, 1), onlyHash: false, isKubo: false },
  )
const uploadOf = (key: string) =>
  sql`upload where id = (select version_id from s3_object where bucket = 'order' and key = ${key})`
const packOf = (key: string) =>
  sql`pack where id in (select pack_id from upload_pack join s3_object on upload_id = version_id where key = ${key})`
const lockPack = (trx: Kysely<Schema>) => sql`select 1 from ${packOf('shared')} for update`.execute(trx)

test.each([
  ['an upload', () => addShared()],
  [
    'a copy',
    () => signedFetch(s3, '/order/copied', { method: 'PUT', headers: { 'x-amz-copy-source': '/order/shared' } }),
  ],
] as const)('%s that waits for a pack has not locked the account', async (_title, work) => {
  await signedFetch(s3, '/order/shared', { method: 'PUT', body: shared })
  expect(await areFree(lockPack, work)).toEqual([true])
})

test('a version that replaces another one and waits for a pack does not lock the account', async () => {
  await signedFetch(s3, '/suspended', { method: 'PUT' })
  const xml = '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>'
  expect((await signedFetch(s3, '/suspended?versioning=', { method: 'PUT', body: xml })).status).toBe(200)
  const put = (body: string) => signedFetch(s3, '/suspended/replaced', { method: 'PUT', body })
  await put('of the replaced version')
  const lock = (trx: Kysely<Schema>) => sql`select 1 from ${packOf('replaced')} for update`.execute(trx)
  expect(await areFree(lock, () => put('of the new version'))).toEqual([true])
  expect(await (await signedFetch(s3, '/suspended/replaced')).body).toBe('of the new version')
})

test.each([
  ['upload', (id: string) => sql`upload where id = ${id}`],
  ['pack', (id: string) => sql`pack where id in (select pack_id from upload_pack where upload_id = ${id})`],
] as const)(
  'a pin that waits for the %s of the pin that it replaces has not locked the account',
  async (kind, rowsOf) => {
    const { context, address } = s3
    const { signal } = new AbortController()
    const pin = async (name: string, replacedId?: string) => {
      const text = `${name} pin, which waits for the ${kind}`
      const source = fileSource(feedFrom([Buffer.from(text)]), { fileName: name, sizeBytes: text.length })
      const { roots } = await addParts(context, address, source, {
        ...readUploadSettings({}, 1),
        onlyHash: false,
        isKubo: false,
      })
      const cid = roots[0]?.Hash ?? ''
      return insertPin(context, address, { cid }, CID.parse(cid), { replacedId, owner: 'test' })
    }
    const first = await pin('first')
    await runStoredPin(context, first, signal)
    const { upload_id: replaced } = await requirePin(context.db.read, address, first.id)
    const second = await pin('second', first.id)
    expect(second.replaced_upload_id).toBe(replaced)
    const lock = (trx: Kysely<Schema>) => sql`select 1 from ${rowsOf(replaced ?? '')} for update`.execute(trx)
    expect(await areFree(lock, () => runStoredPin(context, second, signal))).toEqual([true])
    expect(await requirePin(context.db.read, address, second.id)).toMatchObject({ status: 'pinned' })
    const left = context.db.read.selectFrom('upload').select('id').where('id', '=', replaced)
    expect(await left.execute()).toEqual([])
  },
)

test('a deletion outside S3 that waits for a bucket locks neither the upload nor its pack', async () => {
  await signedFetch(s3, '/order/doomed', { method: 'PUT', body: 'doomed' })
  const { version_id: id } = await s3.context.db.read
    .selectFrom('s3_object')
    .select('version_id')
    .where('key', '=', 'doomed')
    .executeTakeFirstOrThrow()
  const remove = () => deleteFiles(s3.context, s3.address, { id })
  expect(await areFree(lockBucketRow, remove, [uploadOf('doomed'), packOf('doomed')])).toEqual([true, true])
  expect((await signedFetch(s3, '/order/doomed')).status).toBe(404)
})

test('a deletion of several uploads locks their packs in one order, whatever the order of the uploads', async () => {
  const { context, address } = s3
  const add = (text: string) =>
    addParts(
      context,
      address,
      fileSource(feedFrom([Buffer.from(text)]), { fileName: 'ordered', sizeBytes: text.length }),
      { ...readUploadSettings({}, 1), onlyHash: false, isKubo: false },
    )
  // The last upload needs the first pack.
  for (const text of ['first pack', 'second pack', 'first pack']) await add(text)
  const rows = await context.db.read
    .selectFrom('upload')
    .innerJoin('upload_pack', 'upload_id', 'id')
    .select(['id', 'pack_id'])
    .where('name', '=', 'ordered')
    .orderBy('id')
    .execute()
  const [first, second, third] = rows
  if (first === undefined || second === undefined || third === undefined) throw new Error('an upload is missing')
  expect([second.pack_id > first.pack_id, third.pack_id]).toEqual([true, first.pack_id])
  const ids = [second.id, third.id]
  const remove = () => context.db.write((trx) => deleteFilesIn(context, trx, address, { ids }))
  const lockFirst = (trx: Kysely<Schema>) => sql`select 1 from pack where id = ${first.pack_id} for update`.execute(trx)
  expect(await areFree(lockFirst, remove, [sql`pack where id = ${second.pack_id}`])).toEqual([true])
})

test.each([
  ['cancelled', (id: string) => dropUpload(s3.context, id)],
  [
    'failed',
    async (id: string) => {
      const row = await selectUploads(s3.context.db.read).where('id', '=', id).executeTakeFirstOrThrow()
      await failUpload(s3.context, toUpload(row), 'test', new Error('failed'))
    },
  ],
] as const)(
  'an unfinished upload that is %s and waits for a pack that it holds has not locked the account',
  async (how, end) => {
    const { context, address } = s3
    const { db, clock } = context
    await signedFetch(s3, '/order/shared', { method: 'PUT', body: shared })
    const { rows } = await sql<{ id: bigint }>`select id from ${packOf('shared')}`.execute(db.read)
    const packIds = rows.map(({ id }) => id)
    const times = { created_at: clock.now(), expires_at: clock.now() + 60_000 }
    const id = `upload that ${how}`
    await db.write(async (trx) => {
      const space = { id, address, bytes: 1, processId: 'test', expiresAt: times.expires_at, freeDiskBytes: 1e12 }
      await reserveSpace(context, trx, space)
      const progress = {
        length_bytes: 1,
        offset_bytes: 0,
        metadata: '',
        state: 'receiving',
        tries: 0,
        retry_at: 0,
      } as const
      const unset = { result: null, error: null, writer_until: null, upload_link_id: null, idempotency_key: null }
      await trx
        .insertInto('resumable_upload')
        .values({ id, address, ...progress, ...unset, ...times, writer: 'test' })
        .execute()
      await holdOthers(trx, packIds, id)
    })
    expect(await areFree(lockPack, () => end(id))).toEqual([true])
    const held = db.read.selectFrom('held_pack').select('pack_id').where('holder_id', '=', id)
    expect(await held.execute()).toEqual([])
  },
)

test('a deletion that waits for the account does not lock the announcement of its content', async () => {
  const { context, address } = s3
  const text = 'announced'
  const source = fileSource(feedFrom([Buffer.from(text)]), { fileName: text, sizeBytes: text.length })
  const options = { ...readUploadSettings({}, 1), onlyHash: false, isKubo: false, announce: true }
  await addParts(context, address, source, options)
  const { id, root_multihash: root } = await context.db.read
    .selectFrom('upload')
    .select(['id', 'root_multihash'])
    .where('name', '=', text)
    .executeTakeFirstOrThrow()
  const lock = (trx: Kysely<Schema>) => sql`select 1 from account where address = ${address} for update`.execute(trx)
  const remove = () => deleteFiles(context, address, { id })
  expect(await areFree(lock, remove, [sql`announcement where root_multihash = ${root}`])).toEqual([true])
})

test('a tag that waits for its upload has not locked the account', async () => {
  await signedFetch(s3, '/order/tagged', { method: 'PUT', body: 'tagged' })
  const { rows } = await sql<{ cid: string }>`select cid from ${uploadOf('tagged')}`.execute(s3.context.db.read)
  const lock = (trx: Kysely<Schema>) => sql`select 1 from ${uploadOf('tagged')} for update`.execute(trx)
  const tag = () => putTag(s3.context, s3.address, 'tag', rows[0]?.cid ?? '')
  expect(await areFree(lock, tag)).toEqual([true])
})

test('the announcement of several roots locks them in one order', async () => {
  const { context, address } = s3
  const texts = ['announced first', 'announced second']
  const options = { ...readUploadSettings({}, 1), onlyHash: false, isKubo: false, announce: true }
  for (const text of texts) {
    await addParts(context, address, fileSource(feedFrom([Buffer.from(text)]), { fileName: text }), options)
  }
  const uploads = await context.db.read
    .selectFrom('upload')
    .select(['id', 'cid', 'root_multihash'])
    .where('name', 'in', texts)
    .orderBy('root_multihash')
    .execute()
  const [first, second] = uploads
  if (first === undefined || second === undefined) throw new Error('an upload is missing')
  await context.db.write((trx) =>
    trx.deleteFrom('announced_upload').where('upload_id', 'in', [first.id, second.id]).execute(),
  )
  const rowOf = ({ root_multihash: root }: typeof first) => sql`announcement where root_multihash = ${root}`
  const lock = (trx: Kysely<Schema>) => sql`select 1 from ${rowOf(first)} for update`.execute(trx)
  const announce = () => context.db.write((trx) => announceUploads(trx, [second, first], context.clock.now()))
  expect(await areFree(lock, announce, [rowOf(second)])).toEqual([true])
})

test('the later of two concurrent creations of a bucket is answered as a repeated one', async () => {
  const { db } = s3.context
  let creating: Promise<{ status: number }> | undefined
  await db.write(async (trx) => {
    await sql`insert into s3_bucket (name, address, created_at) values ('raced', ${s3.address}, 1)`.execute(trx)
    const pid = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)).rows[0]?.pid
    creating = signedFetch(s3, '/raced', { method: 'PUT' })
    while ((await waitingFor(pid).execute(db.read)).rows.length === 0) await delay(5)
  })
  expect((await creating)?.status).toBe(200)
  const { rows } = await sql`select name from s3_bucket where name = 'raced'`.execute(db.read)
  expect(rows).toHaveLength(1)
})

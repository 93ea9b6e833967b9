import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { CairnError } from '@cairn/protocol'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteFilesIn } from '../files/files.ts'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { removeUnreferencedPacks } from '../packs/removal/remove-packs.ts'
import { startTestS3, type TestS3 } from '../s3/s3.fixture.ts'
import { copyUpload } from './copy-upload.ts'

describeOnDatabases('copies of uploads, on %s:', (newDatabase) => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
    await s3.client.send(new CreateBucketCommand({ Bucket: 'bucket' }))
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  test('a copy of an upload that is deleted meanwhile keeps the content, or is rejected', async () => {
    const { client, context, address } = s3
    const { db } = context
    await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'source', Body: 'content' }))
    const { id } = await db.read
      .selectFrom('upload')
      .select('id')
      .where('name', '=', 'bucket/source')
      .executeTakeFirstOrThrow()
    const commit = Promise.withResolvers<void>()
    let deletion: Promise<void> | undefined
    /** Deletes the source once the copy has reserved its bytes, and before it reads the source. */
    const startDeletion = () =>
      new Promise<void>((deleted) => {
        deletion = db.write(async (trx) => {
          await deleteFilesIn(context, trx, address, { id })
          deleted()
          // On SQLite, the copy waits for the whole deletion.
          if (db.kind === 'postgres') await commit.promise
        })
      })
    let units = 0
    const write: typeof db.write = async (work) => {
      if (++units === 2) await startDeletion()
      return db.write(work)
    }
    const name = { name: 'bucket/copy', mimeType: undefined }
    const copying = copyUpload({ ...context, db: { ...db, write } }, address, id, name, async () => undefined).then(
      () => 'copied',
      ({ code }: CairnError) => code,
    )
    if (db.kind === 'postgres') {
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await waiting.execute(db.read)).rows.length, { timeout: 20_000 }).toBe(1)
    }
    commit.resolve()
    await deletion
    const outcome = await copying
    expect(outcome).toBe(db.kind === 'postgres' ? 'copied' : 'NOT_FOUND')
    if (outcome !== 'copied') return
    const later = { sleep: async () => undefined, now: () => context.clock.now() + 30 * 86_400_000 }
    await removeUnreferencedPacks({ ...context, clock: later })
    const { cid } = await db.read
      .selectFrom('upload')
      .select('cid')
      .where('name', '=', 'bucket/copy')
      .executeTakeFirstOrThrow()
    const answer = await fetch(`${s3.profile.gateway}/ipfs/${cid}`)
    expect([answer.status, await answer.text()]).toEqual([200, 'content'])
  })
})

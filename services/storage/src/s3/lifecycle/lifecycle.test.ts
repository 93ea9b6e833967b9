// Lifecycle rules of buckets: what they delete, what they keep, and what happens when an object changes meanwhile.
import {
  type BucketLifecycleConfiguration,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketLifecycleCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  HeadObjectCommand,
  type LifecycleRule,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
} from '@aws-sdk/client-s3'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../../on-databases.fixture.ts'
import { refused, startTestS3, type TestS3 } from '../s3.fixture.ts'
import { signedFetch } from '../signed-fetch.fixture.ts'
import { applyRules } from './apply-rules.ts'
import { applyAll, createLifecycleWorker } from './worker.ts'

const dayMs = 24 * 60 * 60_000
const always = async () => true
type Aged = 's3_object' | 's3_delete_marker' | 's3_multipart'

describeOnDatabases('lifecycle rules, on %s:', (newDatabase) => {
  let s3: TestS3
  beforeAll(async () => {
    s3 = await startTestS3(await newDatabase())
  })
  afterAll(() => s3?.[Symbol.asyncDispose]())

  async function openBucket(Bucket: string, status?: 'Enabled' | 'Suspended') {
    const { client, context } = s3
    await client.send(new CreateBucketCommand({ Bucket }))
    if (status !== undefined)
      await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: status } }))
    const put = (Key: string, Body = 'x', Tagging?: string) =>
      client.send(new PutObjectCommand({ Bucket, Key, Body, Tagging }))
    return {
      put,
      remove: (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key })),
      rule: (Rules: LifecycleRule[]) =>
        client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } })),
      readRules: async () => (await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules,
      /** Makes all versions and uploads older, as if they had been written before. */
      age: (days: number, tables: readonly Aged[] = ['s3_object', 's3_delete_marker', 's3_multipart']) =>
        context.db.write(async (trx) => {
          for (const table of tables) {
            await trx
              .updateTable(table)
              .set({ created_at: sql`created_at - ${days * dayMs}` })
              .where('bucket', '=', Bucket)
              .execute()
          }
        }),
      apply: (mayGoOn = always) => applyRules(context, Bucket, mayGoOn),
      /** Keys of the versions, newest first; markers begin with an exclamation mark. */
      list: async () => {
        const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }))
        return [...Versions.map(({ Key }) => `${Key}`), ...DeleteMarkers.map(({ Key }) => `!${Key}`)].sort()
      },
      expiration: async (Key: string) => (await client.send(new HeadObjectCommand({ Bucket, Key }))).Expiration,
    }
  }

  test('delete an object at the first midnight after its days, and only if a rule covers it', async () => {
    const bucket = await openBucket('days')
    for (const key of ['tmp/a', 'keep/b', 'tmp/large'])
      await bucket.put(key, key === 'tmp/large' ? 'x'.repeat(100) : 'x')
    await bucket.put('tagged', 'x', 'class=short')
    await bucket.put('other-tag', 'x', 'class=long')
    await bucket.rule([
      {
        ID: 'tmp',
        Status: 'Enabled',
        Filter: { And: { Prefix: 'tmp/', ObjectSizeLessThan: 50 } },
        Expiration: { Days: 2 },
      },
      { ID: 'short', Status: 'Enabled', Filter: { Tag: { Key: 'class', Value: 'short' } }, Expiration: { Days: 2 } },
      { ID: 'off', Status: 'Disabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } },
    ])
    const all = ['keep/b', 'other-tag', 'tagged', 'tmp/a', 'tmp/large']
    expect(await bucket.apply()).toBe(true)
    expect(await bucket.list()).toEqual(all)
    // When three days are over, two are, whatever the time of day.
    await bucket.age(1)
    await bucket.apply()
    expect(await bucket.list()).toEqual(all)
    await bucket.age(2)
    await bucket.apply()
    expect(await bucket.list()).toEqual(['keep/b', 'other-tag', 'tmp/large'])
    const { files } = await s3.context.db.read
      .selectFrom('upload')
      .select(({ fn }) => fn.countAll<number>().as('files'))
      .where('name', 'like', 'days/%')
      .executeTakeFirstOrThrow()
    expect(Number(files)).toBe(3)
  })

  test('let reads and writes say when an object will be deleted, and by which rule', async () => {
    const bucket = await openBucket('dates')
    await bucket.put('before')
    expect(await bucket.expiration('before')).toBe(undefined)
    await bucket.rule([
      { ID: 'later', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 30 } },
      { ID: 'a b', Status: 'Enabled', Filter: { Prefix: 'tmp/' }, Expiration: { Days: 1 } },
    ])
    const { Expiration = '' } = await bucket.put('tmp/x')
    const [, date = '', id] = /^expiry-date="(.+)", rule-id="(.+)"$/.exec(Expiration) ?? []
    expect(id).toBe('a%20b')
    expect(Date.parse(date) % dayMs).toBe(0)
    expect(Date.parse(date)).toBeGreaterThan(Date.now() + dayMs - 60_000)
    expect(Date.parse(date)).toBeLessThan(Date.now() + 2 * dayMs + 60_000)
    expect(await bucket.expiration('tmp/x')).toBe(Expiration)
    expect(await bucket.expiration('before')).toMatch(/rule-id="later"$/)
  })

  test('with a date delete all objects from that day on', async () => {
    const bucket = await openBucket('by-date')
    await bucket.put('past/a')
    await bucket.put('future/b')
    await bucket.rule([
      { Status: 'Enabled', Prefix: 'past/', Expiration: { Date: new Date('2017-09-27') } },
      { Status: 'Enabled', Prefix: 'future/', Expiration: { Date: new Date('2100-01-01') } },
    ])
    await bucket.apply()
    expect(await bucket.list()).toEqual(['future/b'])
    expect((await bucket.readRules())?.map(({ ID, Expiration }) => [ID?.length, Expiration?.Date])).toEqual([
      [36, new Date('2017-09-27')],
      [36, new Date('2100-01-01')],
    ])
  })

  test('with versioning, add a delete marker to the latest version, and delete earlier ones after their own days', async () => {
    const bucket = await openBucket('versions', 'Enabled')
    for (const text of ['1', '2', '3']) await bucket.put('k', text)
    await bucket.rule([
      {
        Status: 'Enabled',
        Filter: { Prefix: '' },
        Expiration: { Days: 1 },
        NoncurrentVersionExpiration: { NoncurrentDays: 5 },
      },
    ])
    await bucket.age(3)
    await bucket.apply()
    expect(await bucket.list()).toEqual(['!k', 'k', 'k', 'k'])
    // The marker is new, so the third version was replaced now, the others three days ago.
    await bucket.age(4, ['s3_object'])
    await bucket.apply()
    expect(await bucket.list()).toEqual(['!k', 'k'])
    await bucket.age(7)
    await bucket.apply()
    // The marker hid a version when the round reached it.
    expect(await bucket.list()).toEqual(['!k'])
    await bucket.apply()
    expect(await bucket.list()).toEqual([])
  })

  test('keep the newest of the earlier versions', async () => {
    const bucket = await openBucket('kept', 'Enabled')
    for (let at = 0; at < 10; at++) await bucket.put('k', `${at}`)
    await bucket.put('other')
    await bucket.rule([
      {
        Status: 'Enabled',
        Filter: { Prefix: '' },
        NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 5 },
      },
    ])
    await bucket.apply()
    expect((await bucket.list()).length).toBe(11)
    await bucket.age(3)
    await bucket.apply()
    expect(await bucket.list()).toEqual(['k', 'k', 'k', 'k', 'k', 'k', 'other'])
  })

  test('without versioning, treat an overwritten version as earlier, and delete an expired object with all versions', async () => {
    const bucket = await openBucket('unversioned')
    for (const text of ['1', '2']) await bucket.put('k', text)
    await bucket.rule([
      { ID: 'earlier', Status: 'Enabled', Filter: { Prefix: '' }, NoncurrentVersionExpiration: { NoncurrentDays: 1 } },
    ])
    await bucket.age(3)
    await bucket.apply()
    expect(await bucket.list()).toEqual(['k'])
    for (const text of ['3', '4']) await bucket.put('k', text)
    await bucket.rule([{ Status: 'Enabled', Prefix: '', Expiration: { Days: 1 } }])
    await bucket.age(3)
    await bucket.apply()
    expect(await bucket.list()).toEqual([])
  })

  test('remove delete markers that hide nothing, and no others', async () => {
    const bucket = await openBucket('markers', 'Enabled')
    await bucket.put('hidden')
    for (const key of ['alone', 'hidden', 'hidden-below', 'kept/alone']) await bucket.remove(key)
    await bucket.rule([
      { Status: 'Enabled', Filter: { Prefix: 'a' }, Expiration: { ExpiredObjectDeleteMarker: true } },
      { Status: 'Enabled', Filter: { Prefix: 'hidden' }, Expiration: { ExpiredObjectDeleteMarker: true } },
    ])
    await bucket.apply()
    expect(await bucket.list()).toEqual(['!hidden', '!kept/alone', 'hidden'])
  })

  test('abort multipart uploads that were started long ago', async () => {
    const bucket = await openBucket('uploads')
    const { client } = s3
    for (const Key of ['tmp/a', 'other'])
      await client.send(new CreateMultipartUploadCommand({ Bucket: 'uploads', Key }))
    const list = async () =>
      ((await client.send(new ListMultipartUploadsCommand({ Bucket: 'uploads' }))).Uploads ?? []).map(({ Key }) => Key)
    await bucket.rule([
      { Status: 'Enabled', Filter: { Prefix: 'tmp/' }, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 2 } },
    ])
    await bucket.apply()
    expect(await list()).toEqual(['other', 'tmp/a'])
    await bucket.age(4)
    expect(await bucket.apply(async () => false)).toBe(false)
    expect(await list()).toEqual(['other', 'tmp/a'])
    await bucket.apply()
    expect(await list()).toEqual(['other'])
  })

  test('keep an object that is overwritten while they are applied', async () => {
    for (const [name, status] of [
      ['again-plain', undefined],
      ['again-versioned', 'Enabled'],
      ['again-suspended', 'Suspended'],
    ] as const) {
      const bucket = await openBucket(name, status)
      await bucket.put('k', 'old')
      await bucket.age(3)
      await bucket.rule([{ Status: 'Enabled', Prefix: '', Expiration: { Days: 1 } }])
      const before = await bucket.list()
      await bucket.apply(async () => {
        await bucket.put('k', 'new')
        return true
      })
      expect(await bucket.list()).toEqual(status === 'Suspended' ? ['k'] : [...before, 'k'])
      expect(await bucket.expiration('k')).toBeDefined()
    }
  })

  test('keep an earlier version that becomes the latest while they are applied', async () => {
    const bucket = await openBucket('back', 'Enabled')
    await bucket.put('k', 'old')
    await bucket.put('k', 'new')
    const { Versions = [] } = await s3.client.send(new ListObjectVersionsCommand({ Bucket: 'back' }))
    await bucket.age(3)
    await bucket.rule([{ Status: 'Enabled', Prefix: '', NoncurrentVersionExpiration: { NoncurrentDays: 1 } }])
    await bucket.apply(async () => {
      await s3.client.send(new DeleteObjectCommand({ Bucket: 'back', Key: 'k', VersionId: Versions[0]?.VersionId }))
      return true
    })
    expect(await bucket.list()).toEqual(['k'])
  })

  test('keep an object whose tags change while they are applied', async () => {
    const bucket = await openBucket('kept-tag')
    await bucket.put('k', 'x', 'class=short')
    await bucket.age(3)
    const Filter = { Tag: { Key: 'class', Value: 'short' } }
    await bucket.rule([{ Status: 'Enabled', Filter, Expiration: { Days: 1 } }])
    await bucket.apply(async () => {
      const Tagging = { TagSet: [{ Key: 'class', Value: 'long' }] }
      await s3.client.send(new PutObjectTaggingCommand({ Bucket: 'kept-tag', Key: 'k', Tagging }))
      return true
    })
    expect(await bucket.list()).toEqual(['k'])
  })

  test('delete nothing once they are removed, also in the middle of a round', async () => {
    const bucket = await openBucket('stopped', 'Enabled')
    await bucket.put('a')
    await bucket.put('a')
    await bucket.put('b')
    await bucket.remove('c')
    await bucket.age(3)
    const NoncurrentVersionExpiration = { NoncurrentDays: 1 }
    await bucket.rule([{ Status: 'Enabled', Prefix: '', Expiration: { Days: 1 }, NoncurrentVersionExpiration }])
    const before = await bucket.list()
    await bucket.apply(async () => {
      await s3.client.send(new DeleteBucketLifecycleCommand({ Bucket: 'stopped' }))
      return true
    })
    expect(await bucket.list()).toEqual(before)
  })

  test('keep a delete marker if an object is written below it meanwhile', async () => {
    const bucket = await openBucket('marker-again', 'Enabled')
    await bucket.remove('k')
    await bucket.rule([{ Status: 'Enabled', Prefix: '', Expiration: { ExpiredObjectDeleteMarker: true } }])
    await bucket.apply(async () => {
      await bucket.put('k')
      return true
    })
    expect(await bucket.list()).toEqual(['!k', 'k'])
  })

  test('make buckets due when they change and after each midnight, and keep one due that stops half-way', async () => {
    const bucket = await openBucket('due')
    for (const key of ['a', 'b']) await bucket.put(key)
    await bucket.age(3)
    await bucket.rule([{ Status: 'Enabled', Prefix: '', Expiration: { Days: 1 } }])
    let asked = 0
    expect(await bucket.apply(async () => asked++ === 0)).toBe(false)
    expect(await bucket.list()).toEqual(['b'])
    await applyAll(s3.context, always)
    expect(await bucket.list()).toEqual([])
    const appliedAt = async () => {
      const row = s3.context.db.read.selectFrom('s3_bucket').select('lifecycle_applied_at').where('name', '=', 'due')
      return (await row.executeTakeFirstOrThrow()).lifecycle_applied_at
    }
    expect(await appliedAt()).toBeGreaterThan(Date.now() - 60_000)
    await bucket.put('later')
    await bucket.age(3)
    await applyAll(s3.context, always)
    expect(await bucket.list()).toEqual(['later'])
    await s3.context.db.write((trx) =>
      trx
        .updateTable('s3_bucket')
        .set({ lifecycle_applied_at: Date.now() - dayMs })
        .where('name', '=', 'due')
        .execute(),
    )
    await applyAll(s3.context, always)
    expect(await bucket.list()).toEqual([])
  })

  test('delete nothing when the clock is ahead as the service starts, and apply after it is set back', async () => {
    const bucket = await openBucket('ahead')
    await bucket.put('k')
    await bucket.rule([{ Status: 'Enabled', Prefix: '', Expiration: { Days: 30 } }])
    const now = Date.now() + 400 * dayMs
    const stop = new AbortController()
    const clock = { now: () => now, sleep: async () => stop.abort() }
    await createLifecycleWorker({ ...s3.context, clock }, clock).run(stop.signal)
    expect(await bucket.list()).toEqual(['k'])
    // An earlier version applied the rules in that future.
    await s3.context.db.write((trx) =>
      trx.updateTable('s3_bucket').set({ lifecycle_applied_at: now }).where('name', '=', 'ahead').execute(),
    )
    await bucket.age(31)
    await applyAll(s3.context, always)
    expect(await bucket.list()).toEqual([])
  })

  test('are stored as sent, and rejected if they make no sense', async () => {
    const bucket = await openBucket('configured')
    const rules: BucketLifecycleConfiguration['Rules'] = [
      { ID: 'plain', Status: 'Enabled', Prefix: 'test1/', Expiration: { Days: 31 } },
      {
        ID: 'all',
        Status: 'Disabled',
        Filter: {
          And: {
            Prefix: 'a',
            Tags: [
              { Key: 'k', Value: 'v' },
              { Key: 'l', Value: '' },
            ],
            ObjectSizeGreaterThan: 1,
            ObjectSizeLessThan: 9,
          },
        },
        Expiration: { Date: new Date('2030-01-01') },
        NoncurrentVersionExpiration: { NoncurrentDays: 3, NewerNoncurrentVersions: 2 },
      },
      { ID: 'marker', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { ExpiredObjectDeleteMarker: true } },
      {
        ID: 'abort',
        Status: 'Enabled',
        Filter: { Prefix: '' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
      { ID: 'size', Status: 'Enabled', Filter: { ObjectSizeGreaterThan: 0 }, Expiration: { Days: 1 } },
    ]
    expect(await refused(bucket.readRules())).toEqual(['NoSuchLifecycleConfiguration', 404])
    await bucket.rule(rules)
    expect(await bucket.readRules()).toEqual(rules)
    // Terraform waits until a read returns the minimum size that it sent.
    const input = { Bucket: 'configured', LifecycleConfiguration: { Rules: rules } }
    const set = (TransitionDefaultMinimumObjectSize?: 'all_storage_classes_128K' | 'varies_by_storage_class') =>
      s3.client.send(new PutBucketLifecycleConfigurationCommand({ ...input, TransitionDefaultMinimumObjectSize }))
    const minimum = { TransitionDefaultMinimumObjectSize: 'all_storage_classes_128K' }
    expect(await set()).toMatchObject(minimum)
    expect(await set('all_storage_classes_128K')).toMatchObject(minimum)
    expect(await s3.client.send(new GetBucketLifecycleConfigurationCommand(input))).toMatchObject(minimum)
    expect(await refused(set('varies_by_storage_class'))).toEqual(['NotImplemented', 501])
    const one: LifecycleRule = { ID: 'one', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } }
    const cases: [LifecycleRule, string][] = [
      [{ ...one, Expiration: { Days: 0 } }, 'InvalidArgument'],
      [{ ...one, Expiration: { Days: -1 } }, 'InvalidArgument'],
      [{ ...one, ID: 'x'.repeat(256) }, 'InvalidArgument'],
      [{ ...one, Expiration: { Date: new Date('2030-01-01T01:00:00Z') } }, 'InvalidArgument'],
      [{ ...one, Expiration: { Days: 1, Date: new Date('2030-01-01') } }, 'MalformedXML'],
      [{ ...one, Expiration: undefined }, 'InvalidRequest'],
      [{ ...one, Expiration: {} }, 'MalformedXML'],
      [{ ...one, Filter: undefined }, 'MalformedXML'],
      [{ ...one, Prefix: 'a' }, 'MalformedXML'],
      [{ ...one, Filter: { Prefix: 'x'.repeat(1025) } }, 'InvalidRequest'],
      [{ ...one, NoncurrentVersionExpiration: { NoncurrentDays: 1, NewerNoncurrentVersions: 101 } }, 'InvalidArgument'],
      [
        { ...one, Filter: { Tag: { Key: 'a', Value: 'b' } }, Expiration: { ExpiredObjectDeleteMarker: true } },
        'InvalidRequest',
      ],
      [{ ...one, Transitions: [{ Days: 1, StorageClass: 'GLACIER' }] }, 'NotImplemented'],
    ]
    for (const [wrong, code] of cases) {
      expect(await refused(bucket.rule([wrong])), JSON.stringify(wrong)).toMatchObject([code, expect.any(Number)])
    }
    expect(await refused(bucket.rule([one, one]))).toEqual(['InvalidArgument', 400])
    expect(await refused(bucket.rule([]))).toEqual(['MalformedXML', 400])
    const good = '<Prefix/><Expiration><Days>1</Days></Expiration>'
    for (const rule of [
      `<Status>enabled</Status>${good}`,
      `<Status>invalid</Status>${good}`,
      // A condition that is not understood would let the rule delete more than intended.
      '<Status>Enabled</Status><Filter><prefix>tmp/</prefix></Filter><Expiration><Days>1</Days></Expiration>',
      '<Status>Enabled</Status><Filter><And><Prefix/><Age>1</Age></And></Filter><Expiration><Days>1</Days></Expiration>',
      `<Status>Enabled</Status><Suffix>x</Suffix>${good}`,
    ]) {
      const body = `<LifecycleConfiguration><Rule>${rule}</Rule></LifecycleConfiguration>`
      const answer = await signedFetch(s3, '/configured?lifecycle', { method: 'PUT', body })
      expect(answer, rule).toMatchObject({ status: 400, code: 'MalformedXML' })
    }
    expect(await bucket.readRules()).toEqual(rules)
    const remove = new DeleteBucketLifecycleCommand({ Bucket: 'configured' })
    for (let times = 0; times < 2; times++) expect((await s3.client.send(remove)).$metadata.httpStatusCode).toBe(204)
    expect(await refused(bucket.readRules())).toEqual(['NoSuchLifecycleConfiguration', 404])
  })
})

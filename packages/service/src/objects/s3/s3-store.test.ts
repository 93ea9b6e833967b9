import { randomBytes } from 'node:crypto'
import { CairnError, type ErrorCode, MIB } from '@cairn/protocol'
import { describe, expect, test } from 'vitest'
import { objectSuite } from '../objects.suite.ts'
import type { ObjectStore } from '../objects.ts'
import { defaultLimits } from './s3-bucket.ts'
import { createS3Place } from './s3-place.fixture.ts'
import { type Fault, failEveryFifth, type S3Proxy } from './s3-proxy.fixture.ts'
import { partBytesOf } from './s3-writer.ts'

const key = 'packs/1/a.car'
const is = (code: ErrorCode) => (error: unknown) => CairnError.is(error, code)
const text = (value: string) => [new TextEncoder().encode(value)]

async function write(store: ObjectStore, name: string, bytes: Uint8Array, head?: Uint8Array) {
  const writer = await store.create(name)
  for (let at = 0; at < bytes.length; at += 3 * MIB) await writer.append([bytes.subarray(at, at + 3 * MIB)])
  if (head !== undefined) await writer.setHead(head)
  return writer.finish()
}

/** Injects one fault into the first matching request. */
function once(proxy: S3Proxy, fits: (method: string, target: string) => boolean, fault: Fault): void {
  let isDone = false
  proxy.plan = ({ method, target }) => {
    if (isDone || !fits(method, target)) return undefined
    isDone = true
    return fault
  }
}

/** It keeps none open, and each costs three calls. */
const manyObjects = 10

objectSuite(
  'S3',
  async () => {
    const place = await createS3Place()
    return { open: () => place.open(), remove: async () => place[Symbol.asyncDispose]() }
  },
  manyObjects,
)

objectSuite(
  'S3 behind a network that fails every fifth request',
  async () => {
    const place = await createS3Place()
    failEveryFifth(place.proxy)
    return { open: () => place.open(), remove: async () => place[Symbol.asyncDispose]() }
  },
  manyObjects,
)

test('a read-only process writes nothing, neither in an empty place nor in another', async () => {
  await using place = await createS3Place()
  const readAll = async () => {
    const before = place.server.requests.length
    const store = await place.open({ isReader: true })
    const keys = await Array.fromAsync(store.list(''))
    const read = keys.includes(key) ? Buffer.from(await store.read(key, 0, 4)).toString() : undefined
    await store.close()
    const calls = place.server.requests.slice(before).filter((each) => !/^(?:GET|HEAD) /.test(each))
    return { keys, read, calls }
  }
  expect(await readAll()).toEqual({ keys: [], read: undefined, calls: [] })
  const store = await place.open()
  await write(store, key, Buffer.from('kept'))
  await store.confirm(key)
  expect(await readAll()).toEqual({ keys: [key], read: 'kept', calls: [] })
  // As it was found.
  await store.probe()
})

describe('objects in parts', () => {
  const bytes = randomBytes(17 * MIB + 5)
  /** In two parts, which a test of one part or call needs. */
  const short = bytes.subarray(0, 9 * MIB)
  const head = randomBytes(100)
  const expected = Buffer.concat([head, bytes.subarray(100)])

  test('sends the part with the head last, and every byte is in its place', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    expect(await write(store, key, bytes, head)).toEqual({ sizeBytes: bytes.length })
    const calls = place.server.requests.filter((each) => each.endsWith(key) && /part|upload/.test(each))
    const names = calls.map((each) => each.slice(0, each.lastIndexOf(' ')))
    // Two concurrent parts arrive in any order.
    expect(names.slice(1, 3).sort()).toEqual(['PUT part 2', 'PUT part 3'])
    expect([names[0], ...names.slice(3)]).toEqual(['POST uploads', 'PUT part 1', 'POST upload'])
    expect(await store.size(key)).toBe(bytes.length)
    expect(expected.equals(await store.read(key, 0, bytes.length))).toBe(true)
    expect(expected.subarray(8 * MIB - 3, 8 * MIB + 3).equals(await store.read(key, 8 * MIB - 3, 6))).toBe(true)
    expect(place.server.uploads()).toEqual([])
  })

  test('sends one part of each object, and four more at the same time', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    const release = Promise.withResolvers<void>()
    // By their targets: a slow machine repeats a call that is held for too long.
    const seen = new Set<string>()
    place.proxy.plan = ({ method, target }) => {
      if (method !== 'PUT' || !target.includes('partNumber=') || target.includes('partNumber=1&')) return undefined
      seen.add(target)
      // A seventh would arrive within this time.
      if (seen.size === 6) setTimeout(release.resolve, 100)
      return { kind: 'hold', until: release.promise }
    }
    const large = randomBytes(60 * MIB)
    const writes = [write(store, key, large), write(store, 'packs/00/other.car', bytes)]
    await release.promise
    // One of each object, and four more.
    expect(seen.size).toBe(6)
    place.proxy.plan = () => undefined
    await Promise.all(writes)
    expect(large.equals(await store.read(key, 0, large.length))).toBe(true)
    expect(bytes.equals(await store.read('packs/00/other.car', 0, bytes.length))).toBe(true)
  })

  test.each<[string, (method: string, target: string) => boolean, Fault]>([
    [
      'the answer to the start is lost',
      (method, target) => method === 'POST' && target.includes('uploads'),
      { kind: 'lose' },
    ],
    ['the answer to a part is lost', (_, target) => target.includes('partNumber=2'), { kind: 'lose' }],
    ['a part is refused once', (_, target) => target.includes('partNumber=1'), { kind: 'refuse', status: 503 }],
    [
      'the answer to the completion is lost',
      (method, target) => method === 'POST' && target.includes('uploadId'),
      { kind: 'lose' },
    ],
    [
      'the answer to the completion is cut',
      (method, target) => method === 'POST' && target.includes('uploadId'),
      { kind: 'cut' },
    ],
  ])('%s, and the object is whole', async (_, fits, fault) => {
    await using place = await createS3Place()
    const store = await place.open()
    once(place.proxy, fits, fault)
    expect(await write(store, key, short, head)).toEqual({ sizeBytes: short.length })
    expect(place.proxy.injected.get(fault.kind)).toBe(1)
    expect(expected.subarray(0, short.length).equals(await store.read(key, 0, short.length))).toBe(true)
  })

  test('a failed write leaves nothing', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    place.proxy.plan = ({ target }) => (target.includes('partNumber=2') ? { kind: 'refuse', status: 500 } : undefined)
    const writer = await store.create(key)
    await writer.append([short])
    await expect(writer.finish()).rejects.toSatisfy(is('UNAVAILABLE'))
    expect(place.server.uploads()).toEqual([`one/network/objects/${key}`])
    await writer.abort()
    expect(place.server.uploads()).toEqual([])
    expect([...(await store.listUnconfirmed('all'))]).toEqual([])
    expect(await store.size(key)).toBeUndefined()
  })

  test('aborts a multipart upload of an ended replica after an hour, and never that of a running one', async () => {
    await using place = await createS3Place()
    const first = await place.open({ replica: 'first' })
    const second = await place.open({ replica: 'second' })
    const writer = await first.create(key)
    await writer.append([bytes])
    place.server.age('one/network/objects/', 48 * 3600)
    place.server.age('one/network/unconfirmed/', 48 * 3600)
    expect(await second.sweep()).toBe(0)
    place.server.age('one/network/replicas/first', 3610)
    expect(await second.sweep()).toBe(1)
    expect(place.server.uploads()).toEqual([])
    // It was only suspended: the object it was writing is rejected, and the replica continues.
    await expect(writer.finish()).rejects.toSatisfy(is('STORAGE_FAILED'))
    await writer.abort()
    await write(first, 'packs/1/b.car', short)
  })

  test('aborts a multipart upload without a note after a day', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    once(place.proxy, (method, target) => method === 'POST' && target.includes('uploads'), { kind: 'lose' })
    await write(store, key, short)
    await store.confirm(key)
    expect(place.server.uploads()).toHaveLength(1)
    place.server.age('one/', 23 * 3600)
    expect(await store.sweep()).toBe(0)
    place.server.age('one/', 2 * 3600)
    expect(await store.sweep()).toBe(1)
    expect(await store.size(key)).toBe(short.length)
  })

  test('10,000 parts hold the largest upload', () => {
    const all = Array.from({ length: 10_000 }, (_, at) => partBytesOf(at + 1)).reduce((sum, each) => sum + each, 0)
    expect(all).toBeGreaterThan(1.1 * 1024 ** 4)
    expect(partBytesOf(1)).toBe(8 * MIB)
  })
})

describe('objects of one call', () => {
  test('an upload costs three calls, a read one, and neither lists', async () => {
    await using place = await createS3Place()
    const store = await place.open({ replica: 'first' })
    await write(store, 'packs/1/first.car', randomBytes(10))
    const before = place.server.requests.length
    await write(store, key, randomBytes(10))
    await store.confirm(key)
    await store.read(key, 2, 5)
    expect(place.server.requests.slice(before)).toEqual([
      'PUT one/network/unconfirmed/first_packs_1_a.car',
      `PUT one/network/objects/${key}`,
      'DELETE one/network/unconfirmed/first_packs_1_a.car',
      `GET one/network/objects/${key}`,
    ])
  })

  test('a write with a lost answer happened once', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    once(place.proxy, (method, target) => method === 'PUT' && target.includes(key), { kind: 'lose' })
    expect(await write(store, key, Buffer.from('abc'))).toEqual({ sizeBytes: 3 })
    expect(Buffer.from(await store.read(key, 0, 3)).toString()).toBe('abc')
  })

  test('one of two writers of a key wins, and nothing of it is overwritten', async () => {
    await using place = await createS3Place()
    const stores = [await place.open(), await place.open()]
    for (const sizeBytes of [10, 9 * MIB]) {
      const name = `packs/1/${sizeBytes}.car`
      const contents = [randomBytes(sizeBytes), randomBytes(sizeBytes)]
      const ended = await Promise.allSettled(stores.map((store, at) => write(store, name, contents[at] ?? Buffer.of())))
      const won = ended.findIndex(({ status }) => status === 'fulfilled')
      expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(contents[won]?.equals((await stores[0]?.read(name, 0, sizeBytes)) ?? Buffer.of())).toBe(true)
    }
  })

  test('keeps the note of a write with an unknown outcome', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    const writer = await store.create(key)
    await writer.append(text('abc'))
    let isStored = false
    place.proxy.plan = ({ method, target }) => {
      if (!target.includes(key)) return undefined
      const fault: Fault = method === 'PUT' && !isStored ? { kind: 'lose' } : { kind: 'refuse', status: 500 }
      isStored ||= method === 'PUT'
      return fault
    }
    await expect(writer.finish()).rejects.toSatisfy(is('UNAVAILABLE'))
    await writer.abort()
    expect([...(await store.listUnconfirmed('all'))]).toEqual([key])
    place.proxy.plan = () => undefined
    expect(await store.size(key)).toBe(3)
  })

  test('reads a body whole although it is cut off repeatedly', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    const bytes = randomBytes(100_000)
    await write(store, key, bytes)
    let cuts = 3
    place.proxy.plan = ({ method }) => (method === 'GET' && cuts-- > 0 ? { kind: 'cut' } : undefined)
    expect(bytes.subarray(10).equals(await store.read(key, 10, bytes.length - 10))).toBe(true)
    expect(place.proxy.injected.get('cut')).toBe(3)
  })

  test('aborts a call to a store that never answers, at the limit', async () => {
    await using place = await createS3Place()
    const limits = { ...defaultLimits }
    const store = await place.open({ limits })
    await write(store, key, Buffer.from('abc'))
    limits.callMs = 300
    place.proxy.plan = ({ target }) => (target.includes('objects') ? { kind: 'hang' } : undefined)
    await expect(store.read(key, 0, 3)).rejects.toSatisfy(is('UNAVAILABLE'))
    await expect(store.size(key)).rejects.toSatisfy(is('UNAVAILABLE'))
    limits.callMs = defaultLimits.callMs
    place.proxy.plan = () => undefined
    expect(Buffer.from(await store.read(key, 0, 3)).toString()).toBe('abc')
  })
})

describe('stores', () => {
  test('list many pages', async () => {
    await using place = await createS3Place()
    place.server.manners.pageSize = 2
    const store = await place.open()
    const keys = Array.from({ length: 7 }, (_, at) => `packs/${at}/a.car`)
    for (const each of keys) await write(store, each, Buffer.from('x'))
    expect(await Array.fromAsync(store.list('packs/'))).toEqual(keys)
    expect(await Array.fromAsync(store.list('packs/', 'packs/2/z.car'))).toEqual(keys.slice(2))
    expect((await store.listUnconfirmed('all')).size).toBe(7)
  })

  test('use the credentials of the environment when the settings have none', async () => {
    await using place = await createS3Place()
    const { accessKeyId, secretAccessKey } = place.server.account
    process.env['AWS_ACCESS_KEY_ID'] = accessKeyId
    process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey
    try {
      const store = await place.open({}, { credentials: undefined })
      await store.probe()
    } finally {
      delete process.env['AWS_ACCESS_KEY_ID']
      delete process.env['AWS_SECRET_ACCESS_KEY']
    }
  })

  test('let a replica stop while the store does not answer', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    await write(store, key, randomBytes(10))
    place.proxy.plan = () => ({ kind: 'reset' })
    await store.close()
  })

  test('do not see objects of another prefix', async () => {
    await using place = await createS3Place()
    const one = await place.open()
    const other = await place.open({}, { prefix: '' })
    await write(one, key, Buffer.from('x'))
    expect(await other.size(key)).toBeUndefined()
    expect(await Array.fromAsync(other.list('packs/'))).toEqual([])
    expect(await other.listOthers()).toEqual([])
  })

  test('do not mistake a missing bucket for missing objects', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    await write(store, key, Buffer.from('abc'))
    place.server.manners.isBucketGone = true
    await expect(store.size(key)).rejects.toSatisfy(is('STORAGE_FAILED'))
    await expect(store.read(key, 0, 3)).rejects.toSatisfy(is('STORAGE_FAILED'))
    await expect(store.probe()).rejects.toSatisfy((error) => CairnError.is(error))
    await expect(Array.fromAsync(store.list('packs/'))).rejects.toSatisfy(is('STORAGE_FAILED'))
    place.server.manners.isBucketGone = false
    await store.probe()
  })

  test('detect a bucket that is emptied while it is open', async () => {
    await using place = await createS3Place()
    const store = await place.open()
    await store.probe()
    place.server.empty()
    await expect(store.probe()).rejects.toSatisfy(is('UNAVAILABLE'))
  })

  test.each(['put', 'complete'] as const)('reject a store whose %s overwrites in spite of conditions', async (call) => {
    await using place = await createS3Place()
    place.server.manners.ignoresConditions = call
    await expect(place.open()).rejects.toSatisfy(is('INVALID_CONFIGURATION'))
    expect(place.server.uploads()).toEqual([])
  })

  test.each([
    [
      'credentials',
      { credentials: { accessKeyId: 'TESTKEY', secretAccessKey: 'wrong-and-hidden' } },
      'SignatureDoesNotMatch',
    ],
    ['bucket', { bucket: 'no-such-bucket' }, 'NoSuchBucket'],
  ])('report a wrong %s, without any secret', async (_, settings, code) => {
    await using place = await createS3Place()
    const error = await place.open({}, settings).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(code) })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hidden')
  })

  test('report a bucket of another region, to which AWS answers with a redirect', async () => {
    await using place = await createS3Place()
    place.proxy.plan = () => ({ kind: 'refuse', status: 301 })
    const error = await place.open().catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('PermanentRedirect'),
      hint: expect.stringContaining('CAIRN_S3_REGION'),
    })
  })

  test('report an offline store at the start as unavailable, not as wrong', async () => {
    await using place = await createS3Place()
    place.proxy.plan = () => ({ kind: 'refuse', status: 503 })
    await expect(place.open({ limits: { ...defaultLimits, callMs: 500 } })).rejects.toSatisfy(is('UNAVAILABLE'))
  })

  test('give packs the encryption and the storage class of the settings, notes only the encryption', async () => {
    await using place = await createS3Place()
    const store = await place.open({}, { encryption: { algorithm: 'AES256' }, storageClass: 'STANDARD_IA' })
    await write(store, key, randomBytes(10))
    await write(store, 'packs/1/large.car', randomBytes(9 * MIB))
    const headers = (prefix: string) =>
      [...place.server.objects(`one/network/${prefix}`).values()].map((each) => [
        each.headers['x-amz-server-side-encryption'],
        each.headers['x-amz-storage-class'],
      ])
    expect(headers('objects/')).toEqual([
      ['AES256', 'STANDARD_IA'],
      ['AES256', 'STANDARD_IA'],
    ])
    expect(headers('unconfirmed/')).toEqual([
      ['AES256', undefined],
      ['AES256', undefined],
    ])
  })

  test('drop the heartbeat of a replica that ends, but not of one with unconfirmed objects', async () => {
    await using place = await createS3Place()
    const first = await place.open({ replica: 'first' })
    const second = await place.open({ replica: 'second' })
    await write(first, key, randomBytes(10))
    await first.confirm(key)
    await write(second, 'packs/1/b.car', randomBytes(10))
    expect(await first.listOthers()).toEqual(['second'])
    await first.close()
    await second.close()
    expect([...place.server.objects('one/network/replicas/').keys()]).toEqual(['one/network/replicas/second'])
    place.server.age('one/', 3610)
    const third = await place.open({ replica: 'third' })
    const abandoned = await Array.fromAsync(third.listAbandoned('packs/'))
    expect(abandoned.map((each) => each.key)).toEqual(['packs/1/b.car'])
    for (const { settle } of abandoned) await settle()
    expect(await third.size('packs/1/b.car')).toBe(10)
  })
})

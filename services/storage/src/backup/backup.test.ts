// The drill: a running service is backed up, and a new machine starts from the backup.
import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { resumableSegmentBytes, tusBodyType, type UploadInfo } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createS3Credential } from '../s3/s3.ts'
import { bearer, type TestStorage } from '../start-test-storage.fixture.ts'
import {
  administer,
  clean,
  drillTimeoutMs,
  findFaults,
  findWrong,
  linkTo,
  listFiles,
  type MachineKind,
  pay,
  prepareBackupWorlds,
  publish,
  readAllRows,
  readCounts,
  readPrivate,
  restore,
  type StoredContent,
  signUp,
  startMachine,
  upload,
} from './backup.fixture.ts'

const currentWorld = prepareBackupWorlds()

function openS3(storage: TestStorage, credentials: { accessKeyId: string; secretAccessKey: string }): S3Client {
  const endpoint = storage.profile.s3?.endpoint ?? ''
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 })
}

const drills: [MachineKind, 'folder' | 's3', MachineKind][] = [
  ['sqlite and files', 'folder', 'sqlite and files'],
  ['postgres and s3', 's3', 'postgres and s3'],
  ['postgres and files', 'folder', 'sqlite and files'],
  ['sqlite and files', 's3', 'postgres and s3'],
]

test.each(drills)(
  'a service on %s, backed up to %s, continues on %s',
  async (from, destination, to) => {
    const world = currentWorld()
    const source = await world.createMachine('source', from)
    const place = world.placeOf('backups', destination)
    const stored: StoredContent[] = []
    let name = ''
    let user = { key: '', address: '' }
    let keys = { accessKeyId: '', secretAccessKey: '' }
    let uploadId: string | undefined
    let part: string | undefined
    const object = Buffer.from('an object of a bucket')
    const secret = randomBytes(600_000)
    let [privateCid, link] = ['', '']
    const isPrivateOn = async (storage: TestStorage) => {
      const opened = { status: 200, bytes: secret }
      const seen = await readPrivate(storage, user.key, privateCid, link)
      expect(seen).toEqual({ stranger: 404, links: [opened, opened] })
    }
    {
      await using storage = await startMachine(source)
      user = await signUp(storage)
      stored.push(...(await upload(storage, user.key, { 'a.txt': randomBytes(20) })))
      stored.push(...(await upload(storage, user.key, { 'b.bin': randomBytes(3_000_000), 'c.txt': randomBytes(300) })))
      stored.push(...(await upload(storage, user.key, { 'd.bin': randomBytes(90_000) }, { encryption: 'true' })))
      const [hidden] = await upload(storage, user.key, { 'p.bin': secret }, { private: 'true' })
      privateCid = hidden?.path ?? ''
      link = await linkTo(storage, user.key, privateCid)
      await isPrivateOn(storage)
      name = await publish(storage, user.key, stored[0]?.path ?? '')
      await pay(storage, user.address)
      const [, keyId = ''] = user.key.split('_')
      keys = await createS3Credential(storage.context, { address: user.address, keyId }, [])
      using client = { s3: openS3(storage, keys), [Symbol.dispose]: () => client.s3.destroy() }
      await client.s3.send(new CreateBucketCommand({ Bucket: 'drill' }))
      await client.s3.send(new PutObjectCommand({ Bucket: 'drill', Key: 'one', Body: object }))
      const begun = await client.s3.send(new CreateMultipartUploadCommand({ Bucket: 'drill', Key: 'two' }))
      uploadId = begun.UploadId
      const target = { Bucket: 'drill', Key: 'two', UploadId: uploadId, PartNumber: 1 }
      part = (await client.s3.send(new UploadPartCommand({ ...target, Body: object }))).ETag

      // Uploads continue during the first backup.
      let isBackedUp = false
      const uploading = (async () => {
        const during: StoredContent[] = []
        while (!isBackedUp) during.push(...(await upload(storage, user.key, { 'e.bin': randomBytes(50_000) })))
        return during
      })()
      const first = await administer(source, 'backup', place, '--json').finally(() => {
        isBackedUp = true
      })
      const during = await uploading
      expect([first.code, first.complained]).toEqual([0, ''])

      // The service continues to run while a new machine starts from its backup.
      const early = await world.createMachine('early', to)
      expect(await restore(world, early, place)).toMatchObject({ code: 0, complained: '' })
      expect(await findFaults(early)).toEqual(clean)
      await using restored = await startMachine(early)
      expect(await findWrong(restored, stored)).toEqual([])
      await isPrivateOn(restored)
      stored.push(...during)
      stored.push(...(await upload(storage, user.key, { 'f.bin': randomBytes(2_000_000) })))
    }

    // The next backup copies only new packs; the service does not run.
    const second = await administer(source, 'backup', place, '--json')
    expect([second.code, second.complained]).toEqual([0, ''])
    const { count, copied } = readCounts(second)
    expect([copied > 0, copied < count]).toEqual([true, true])
    expect((await administer(source, 'backup', place, '--json')).json[0]?.['objects']).toMatchObject({
      count,
      copied: 0,
    })
    const verified = await administer(source, 'backup', 'verify', place, '--identity', world.identity, '--json')
    expect(verified).toMatchObject({ code: 0, json: [{ kind: 'summary', backups: 3, findings: 0 }] })

    const target = await world.createMachine('target', to)
    expect(await restore(world, target, place)).toMatchObject({
      code: 0,
      complained: '',
      json: [{ lost: 0, secret: 'written' }],
    })
    expect(await readAllRows(target)).toEqual(await readAllRows(source))
    expect(await findFaults(target)).toEqual(clean)

    await using restored = await startMachine(target)
    expect(await findWrong(restored, stored)).toEqual([])
    await isPrivateOn(restored)
    // The same API key, a name that the service can publish again, and the same S3 access keys.
    const record = await restored.call(`/api/names/${name}/record`)
    expect([record.status, record.json]).toMatchObject([200, { value: `/ipfs/${stored[0]?.path}` }])
    const again = await restored.call(`/api/names/${name}/records`, {
      method: 'POST',
      headers: { ...bearer(user.key).headers, 'content-type': 'application/json' },
      body: JSON.stringify({ value: stored.at(-1)?.path }),
    })
    expect([again.status, again.body]).toEqual([200, expect.any(String)])
    using client = { s3: openS3(restored, keys), [Symbol.dispose]: () => client.s3.destroy() }
    const read = async (Key: string) =>
      Buffer.from(
        (await (await client.s3.send(new GetObjectCommand({ Bucket: 'drill', Key }))).Body?.transformToByteArray()) ??
          [],
      )
    expect(await read('one')).toEqual(object)
    // An upload in parts that was unfinished during the backup continues.
    const Parts = [{ PartNumber: 1, ETag: part }]
    await client.s3.send(
      new CompleteMultipartUploadCommand({
        Bucket: 'drill',
        Key: 'two',
        UploadId: uploadId,
        MultipartUpload: { Parts },
      }),
    )
    expect(await read('two')).toEqual(object)
    const { json } = await administer(target, 'accounts', 'usage', user.address, '--json')
    expect(json[0]).toMatchObject({ payments: 1, apiKeys: 1, names: 1 })
    const audited = await administer(target, 'audit', '--json')
    expect(audited.json.map(({ action }) => action)).toEqual(['restore', 'backup', 'backup'])
  },
  drillTimeoutMs,
)

test(
  'an upload in progress continues after a restore; if one of its packs is missing, it is sent again',
  async () => {
    const world = currentWorld()
    const bytes = randomBytes(2 * resumableSegmentBytes)
    const cut = resumableSegmentBytes + 1000
    const source = await world.createMachine('source', 'sqlite and files')
    const place = world.placeOf('backups', 'folder')
    let [path, key] = ['', '']
    const tus = (storage: TestStorage, at: string, options: RequestInit & { headers?: Record<string, string> } = {}) =>
      storage.call(at, {
        ...options,
        headers: {
          ...bearer(key).headers,
          'tus-resumable': '1.0.0',
          'content-type': tusBodyType,
          ...options.headers,
        },
      })
    {
      await using storage = await startMachine(source)
      key = (await signUp(storage)).key
      const headers = { 'upload-length': String(bytes.length) }
      const created = await tus(storage, '/api/uploads', { method: 'POST', headers })
      path = `/api/${created.headers.get('location')}`
      const sent = { 'upload-offset': '0' }
      await tus(storage, path, { method: 'PATCH', headers: sent, body: bytes.subarray(0, cut) })
    }
    expect(await administer(source, 'backup', place)).toMatchObject({ code: 0 })
    const target = await world.createMachine('target', 'sqlite and files')
    expect(await restore(world, target, place)).toMatchObject({ code: 0, complained: '' })
    {
      await using storage = await startMachine(target)
      const headers = { 'upload-offset': String(cut) }
      expect((await tus(storage, path, { method: 'PATCH', headers, body: bytes.subarray(cut) })).status).toBe(204)
      const { result } = (await tus(storage, path)).json as UploadInfo
      expect(await findWrong(storage, [{ path: result?.[0]?.Hash ?? '', bytes }])).toEqual([])
    }
    expect(await findFaults(target)).toEqual(clean)
    const [pack = ''] = await listFiles(join(place, 'objects', 'packs'))
    await rm(join(place, 'objects', 'packs', pack))
    const rest = await world.createMachine('rest', 'sqlite and files')
    expect(await restore(world, rest, place, '--allow-damage')).toMatchObject({ code: 1 })
    await using storage = await startMachine(rest)
    expect((await tus(storage, path)).status).toBe(404)
  },
  drillTimeoutMs,
)

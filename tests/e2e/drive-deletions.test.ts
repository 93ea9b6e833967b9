// What deletions in the drive leave: objects of S3 buckets, uploads with another access, and content that another device
// restored or uploaded meanwhile.
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { type Client, createS3Credentials, type Drive, deleteFile, listFiles, openDrive, uploadBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from '../code-of.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { listPaths, uploadNamed } from './drive-tree.ts'

let network: TestNetwork
const clients: S3Client[] = []

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_RATE_FACTOR: '0' })
})
afterAll(async () => {
  for (const client of clients) client.destroy()
  await network?.[Symbol.asyncDispose]()
})

/** Creates a bucket with objects of one content. Returns a function that reads an object. */
async function createBucket(client: Client, Bucket: string, keys: readonly string[], Body: string) {
  const { endpoint, region, ...credentials } = await createS3Credentials(client)
  const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  clients.push(s3)
  await s3.send(new CreateBucketCommand({ Bucket }))
  for (const Key of keys) await s3.send(new PutObjectCommand({ Bucket, Key, Body }))
  return async (Key: string) => {
    const object = await s3.send(new GetObjectCommand({ Bucket, Key }))
    return object.Body?.transformToString()
  }
}

const deletions = /\/api\/(drive\/deletions|user\/delete_file)/
/** Opens a drive that calls `run` once, before it sends its first such call; by default one that deletes uploads. */
function openInterrupted(client: Client, run: () => Promise<unknown>, calls = deletions): Promise<Drive> {
  let hasRun = false
  const fetch: Client['fetch'] = async (input, init) => {
    if (calls.test(String(input)) && !hasRun) {
      hasRun = true
      await run()
    }
    return client.fetch(input, init)
  }
  return openDrive({ ...client, fetch })
}

const listNames = async (client: Client) =>
  (await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName).sort()

test('objects of a bucket with equal content are not copies; uploads of it are, except the first', async () => {
  const client = await createKeyClient(network)
  const keys = ['laptop/a.txt', 'phone/a.txt']
  const read = await createBucket(client, 'backups', keys, 'the same')
  const drive = await openDrive(client)
  expect(drive.duplicates()).toEqual([])
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await uploadNamed(client, name, 'the same')
  await drive.reload()
  const [found, ...others] = drive.duplicates()
  expect(others).toEqual([])
  expect(found?.copies.map(({ fileName }) => fileName).sort()).toEqual(['b.txt', 'c.txt'])
  const [one] = found?.copies ?? []
  expect(await drive.removeCopies({ ids: [one?.id ?? ''] })).toEqual({ uploads: 1, bytes: 8 })
  // A list cached by a program without marks does no harm.
  const uploads = drive.uploads.map(({ managedBy: _, ...upload }) => upload)
  const outdated = await openDrive(client, { uploads })
  expect(outdated.duplicates().flatMap(({ copies }) => copies)).toHaveLength(3)
  const ids = outdated.uploads.map(({ id }) => id)
  expect(await outdated.removeCopies({ ids })).toEqual({ uploads: 1, bytes: 8 })
  expect(outdated.duplicates()).toEqual([])
  expect(await listNames(client)).toEqual(['a.txt', 'backups/laptop/a.txt', 'backups/phone/a.txt'])
  for (const key of keys) expect(await read(key)).toBe('the same')
})

test('the only public upload of a content is not a copy of a private one, in either order', async () => {
  const client = await createKeyClient(network)
  const upload = (name: string, isPrivate: boolean, text = 'shared') =>
    uploadBytes(client, new TextEncoder().encode(text), { name, ...(isPrivate ? { private: true } : {}) })
  await upload('first.txt', true)
  const { cid } = await upload('second.txt', false)
  await upload('third.txt', true)
  await upload('public.txt', false, 'other')
  await upload('private.txt', true, 'other')
  const drive = await openDrive(client)
  expect(drive.duplicates().map(({ copies }) => copies.map(({ fileName }) => fileName))).toEqual([['third.txt']])
  expect(await drive.removeCopies()).toEqual({ uploads: 1, bytes: 6 })
  expect(await listNames(client)).toEqual(['first.txt', 'private.txt', 'public.txt', 'second.txt'])
  expect(await (await fetch(`${network.profile.gateway}/ipfs/${cid}`)).text()).toBe('shared')
})

test('keeps uploads that are no longer copies because the first upload was deleted meanwhile', async () => {
  const client = await createKeyClient(network)
  for (const name of ['a.txt', 'b.txt']) await uploadNamed(client, name, 'twice')
  const drive = await openDrive(client)
  const ids = drive.duplicates().flatMap(({ copies }) => copies.map(({ id }) => id))
  const [first] = (await Array.fromAsync(listFiles(client))).filter(({ fileName }) => fileName === 'a.txt')
  await deleteFile(client, { id: first?.id ?? '' })
  expect(await drive.removeCopies({ ids })).toEqual({ uploads: 0, bytes: 0 })
  expect(await listNames(client)).toEqual(['b.txt'])
})

test('emptying the trash keeps objects of buckets, and the items with their content', async () => {
  const client = await createKeyClient(network)
  const read = await createBucket(client, 'archive', ['laptop/a.txt', 'phone/a.txt'], 'kept')
  await uploadNamed(client, 'copy.txt', 'kept')
  for (const name of ['own.txt', 'other.txt']) await uploadNamed(client, name)
  const drive = await openDrive(client)
  const [object = ''] = listPaths(drive).filter((path) => path.startsWith('/archive'))
  await drive.change((edit) => {
    edit.createFolder('/docs')
    edit.createFolder('/docs/deep')
    edit.move(object, '/docs/deep/a.txt')
    edit.move('/own.txt', '/docs')
    edit.trash('/docs')
    edit.trash('/other.txt')
  })
  expect(await drive.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 1, uploads: 3, kept: 1 })
  for (const key of ['laptop/a.txt', 'phone/a.txt']) expect(await read(key)).toBe('kept')
  expect(await listNames(client)).toEqual(['archive/laptop/a.txt', 'archive/phone/a.txt'])
  for (const device of [drive, await openDrive(client)]) {
    expect(listPaths(device)).toEqual([])
    expect(device.trash().map(({ path }) => path)).toEqual(['/docs'])
  }
  expect(await drive.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 0, uploads: 0, kept: 1 })
  await drive.change((edit) => edit.restore('/docs'))
  expect(listPaths(drive)).toEqual(['/docs', '/docs/deep', '/docs/deep/a.txt'])
})

test('keeps what another device restores while the trash is emptied, with its content and its place', async () => {
  const client = await createKeyClient(network)
  for (const name of ['x.txt', 'y.txt', 'z.txt']) await uploadNamed(client, name)
  const phone = await openDrive(client)
  await phone.change((edit) => {
    edit.createFolder('/docs')
    edit.move(['/x.txt', '/z.txt'], '/docs')
    edit.star('/docs/x.txt')
    edit.trash('/docs/x.txt')
    edit.trash('/y.txt')
    edit.trash('/docs/z.txt')
  })
  const laptop = await openInterrupted(client, async () => {
    await phone.change((edit) => edit.restore('/docs/x.txt'))
    await uploadNamed(client, 'z.txt')
    await phone.reload()
    await phone.change((edit) => edit.place(phone.trash().find(({ name }) => name === 'z.txt')?.id ?? '', '/new.txt'))
  })
  expect(await laptop.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 1, uploads: 1, kept: 0 })
  await phone.reload()
  for (const device of [laptop, phone, await openDrive(client)]) {
    expect(listPaths(device)).toEqual(['/docs', '/docs/x.txt', '/new.txt'])
    expect(device.find('/docs/x.txt')?.isStarred).toBe(true)
    expect(device.trash()).toEqual([])
  }
  expect(await listNames(client)).toEqual(['x.txt', 'z.txt', 'z.txt'])
})

test('keeps a folder that another device restores while its entry is removed', async () => {
  const client = await createKeyClient(network)
  for (const name of ['x.txt', 'y.txt']) await uploadNamed(client, name)
  const phone = await openDrive(client)
  await phone.change((edit) => {
    for (const path of ['/docs', '/plans', '/plans/old']) edit.createFolder(path)
    edit.star('/docs')
    edit.move('/x.txt', '/plans/old')
    for (const path of ['/docs', '/plans', '/y.txt']) edit.trash(path)
  })
  const restore = async () => {
    const docs = phone.trash().find(({ name }) => name === 'docs')
    await phone.change((edit) => edit.restore(docs?.id ?? ''))
  }
  const laptop = await openInterrupted(client, restore, /drive\/parts/)
  expect(await laptop.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 2, uploads: 2, kept: 0 })
  await phone.reload()
  for (const device of [laptop, phone, await openDrive(client)]) {
    expect(listPaths(device)).toEqual(['/docs'])
    expect(device.find('/docs')?.isStarred).toBe(true)
    expect(device.trash()).toEqual([])
  }
})

test('keeps an upload of the same content while the trash is emptied, as a file in the root', async () => {
  const client = await createKeyClient(network)
  const cid = await uploadNamed(client, 'x.txt')
  const drive = await openInterrupted(client, () => uploadNamed(client, 'again.txt', 'x.txt'))
  await drive.change((edit) => edit.trash('/x.txt'))
  expect(await drive.emptyTrash({ ids: [cid] })).toEqual({ items: 1, uploads: 1, kept: 0 })
  await drive.reload()
  expect(listPaths(drive)).toEqual(['/again.txt'])
  expect(await listNames(client)).toEqual(['again.txt'])
})

test('empties a trash with more items than a call deletes, and in a drive that changes all the time', {
  timeout: 60_000,
}, async () => {
  const client = await createKeyClient(network)
  const count = 620
  const names = Array.from({ length: count }, (_, at) => `${at}.txt`)
  for (let at = 0; at < count; at += 20) {
    await Promise.all(names.slice(at, at + 20).map((name) => uploadNamed(client, name)))
  }
  const phone = await openDrive(client)
  await phone.change((edit) => {
    for (const name of names) edit.trash(name)
  })
  let calls = 0
  const counting: Client = {
    ...client,
    fetch: async (input, init) => {
      if (String(input).includes('/api/drive/deletions')) calls++
      // Between the two batches.
      if (String(input).includes('/api/drive/deletions') && calls === 2) {
        await phone.change((edit) => edit.restore(phone.trash()[0]?.id ?? ''))
      }
      return client.fetch(input, init)
    },
  }
  const laptop = await openDrive(counting)
  const emptied = await laptop.emptyTrash({ olderThanMs: 0 })
  // The restored item was in the first batch, or stays.
  expect(emptied.uploads + (await listNames(client)).length).toBe(count)
  expect(calls).toBe(3)
  expect((await openDrive(client)).trash()).toEqual([])

  const cid = await uploadNamed(client, 'last.txt')
  await laptop.reload()
  await laptop.change((edit) => edit.trash('/last.txt'))
  let n = 0
  const restless = await openDrive({
    ...client,
    fetch: async (input, init) => {
      if (String(input).includes('/api/drive/deletions')) await phone.change((edit) => edit.createFolder(`/${n++}`))
      return client.fetch(input, init)
    },
  })
  expect(await codeOf(restless.emptyTrash({ ids: [cid] }))).toBe('CONFLICT')
  expect(n).toBe(40)
  expect(await listNames(client)).toContain('last.txt')
})

test('keeps in the root what an unaware device puts into a deleted folder or file', async () => {
  const client = await createKeyClient(network)
  for (const name of ['x.txt', 'y.txt', 'z.txt', 'new y.txt', 'new.txt']) await uploadNamed(client, name)
  const phone = await openDrive(client)
  await phone.change((edit) => {
    edit.createFolder('/docs')
    edit.createFolder('/docs/deep')
    edit.move('/x.txt', '/docs/deep')
    edit.move('/y.txt', '/docs')
    edit.move('/z.txt', '/docs/z.txt')
  })
  const laptop = await openDrive(client)
  await phone.change((edit) => {
    edit.trash('/docs/z.txt')
    edit.trash('/docs')
  })
  await laptop.change((edit) => {
    edit.move('/new.txt', '/docs/deep')
    edit.move('/new y.txt', '/docs/y.txt')
    edit.createFolder('/docs/later')
    edit.star('/docs/deep/x.txt')
  })
  await phone.reload()
  expect(
    phone
      .trash()
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['/docs', '/docs/z.txt'])
  expect(listPaths(phone)).toEqual([])
  expect(await phone.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 2, uploads: 3, kept: 0 })
  for (const device of [phone, await openDrive(client)]) {
    expect(listPaths(device)).toEqual(['/later', '/new y.txt', '/new.txt'])
    expect(device.trash()).toEqual([])
  }
  expect(await listNames(client)).toEqual(['new y.txt', 'new.txt'])
})

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import { computeCid, computeFolderCid } from './compute-cid.ts'
import { uploadBytes, uploadFile } from './upload-file.ts'
import { uploadFolder } from './upload-folder.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = await mkdtemp(join(tmpdir(), 'cairn-cid-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const hello = new TextEncoder().encode('hello world')

test('bytes, a Blob, a path and a stream have the CID of `ipfs add`', async () => {
  const path = join(folder, 'hello.txt')
  await writeFile(path, hello)
  const stream = (async function* () {
    yield hello.subarray(0, 4)
    yield hello.subarray(4)
  })()
  const expected = {
    cid: 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e',
    sizeBytes: 11,
    dagSizeBytes: 11,
  }
  for (const source of [hello, new Blob([hello]), path, stream]) expect(await computeCid(source)).toEqual(expected)
  const old = await computeCid(hello, { cidVersion: 0 })
  expect(old.cid).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
  const wrapped = await computeCid(path, { wrapWithDirectory: true })
  expect(wrapped.cid).toBe('bafybeic6svhkwl3y2wvkj33weshyjjs5cbvgijh7yo3kjasyglrdwe2l74')
})

test('is the CID of an upload with the same options', async () => {
  const bytes = new Uint8Array(3_000_000).map((_, at) => at % 251)
  for (const options of [{}, { profile: 'unixfs-v1-2025' }, { wrapWithDirectory: true, name: 'a/b.bin' }] as const) {
    const { cid, sizeBytes, dagSizeBytes } = await uploadBytes(client, bytes, options)
    expect(await computeCid(bytes, options)).toEqual({ cid, sizeBytes, dagSizeBytes })
  }
  const site = join(folder, 'site')
  await mkdir(join(site, 'empty'), { recursive: true })
  await mkdir(join(site, 'css'))
  await writeFile(join(site, 'css', 'a.css'), 'p{}')
  await symlink('css/a.css', join(site, 'link'))
  const { cid, sizeBytes, dagSizeBytes } = await uploadFolder(client, site)
  expect(await computeFolderCid(site)).toEqual({ cid, sizeBytes, dagSizeBytes })
})

test('hidden files belong to a folder, unless they are excluded', async () => {
  const plain = join(folder, 'plain', 'site')
  const mixed = join(folder, 'mixed', 'site')
  for (const site of [plain, mixed]) {
    await mkdir(join(site, 'only-hidden'), { recursive: true })
    await writeFile(join(site, 'a.txt'), 'a')
  }
  await mkdir(join(mixed, '.git'))
  await writeFile(join(mixed, '.git', 'config'), 'secret')
  await writeFile(join(mixed, 'only-hidden', '.env'), 'secret')
  // `ipfs add -r`: a folder with nothing else in it stays, and is empty.
  const { cid } = await computeFolderCid(plain)
  expect((await computeFolderCid(mixed, { hidden: false })).cid).toBe(cid)
  expect((await computeFolderCid(mixed)).cid).not.toBe(cid)
  expect((await uploadFolder(client, mixed, { hidden: false })).cid).toBe(cid)
  const entries = [
    { path: 'a.txt', content: 'a' },
    { path: '.git/config', content: 'secret' },
    { path: 'deep/.env', content: 'secret' },
  ]
  const visible = await computeFolderCid(entries.slice(0, 1))
  expect(await computeFolderCid(entries, { hidden: false })).toEqual(visible)
  const files = entries.map(({ path, content }) => {
    const file = new File([content], path.split('/').at(-1) ?? '')
    return Object.defineProperty(file, 'webkitRelativePath', { value: `.folder/${path}` })
  })
  expect(await computeFolderCid(files, { hidden: false })).toEqual(visible)
  await expect(computeFolderCid([{ path: '../a', content: 'a' }], { hidden: false })).rejects.toMatchObject({
    code: 'INVALID_PATH',
  })
})

test('fails as an upload does', async () => {
  await expect(computeCid(join(folder, 'nothing'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
  await expect(computeCid(folder)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    hint: 'Use uploadFolder or computeFolderCid.',
  })
  await expect(computeFolderCid([])).rejects.toMatchObject({ code: 'NO_FILE' })
  const twice = [
    { path: 'a', content: 'one' },
    { path: 'a', content: 'two' },
  ]
  await expect(computeFolderCid(twice)).rejects.toMatchObject({ code: 'DUPLICATE_NAME' })
  await expect(computeCid(hello, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
  for (const send of [
    computeCid,
    (bytes: Uint8Array, options: { name: string }) => uploadFile(client, new Blob([new Uint8Array(bytes)]), options),
  ])
    await expect(send(hello, { name: 'a/b' })).rejects.toMatchObject({ code: 'INVALID_PATH' })
})

// Folders encrypted as a whole: one CID, one key, hidden names; through the SDK and the CLI.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import {
  changeFolder,
  decryptBytes,
  decryptFolder,
  downloadBytes,
  downloadFile,
  getFileInfo,
  isFolder,
  listDirectory,
  listFiles,
  openEncryptedFolder,
  revokeAccess,
  rotateFile,
  shareFile,
  uploadEncryptedFolder,
  uploadEncryptedText,
  uploadFolder,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

type KeyClient = Awaited<ReturnType<typeof createKeyClient>>

let network: TestNetwork
let owner: KeyClient
let friend: KeyClient
let folder = ''
const film = new Uint8Array(randomBytes(2_500_000))

beforeAll(async () => {
  network = await createTestNetwork()
  owner = await createKeyClient(network)
  friend = await createKeyClient(network)
  folder = mkdtempSync(join(tmpdir(), 'cairn-encrypted-folder-'))
  mkdirSync(join(folder, 'trip', 'day one'), { recursive: true })
  writeFileSync(join(folder, 'trip', 'plan.txt'), 'Up the hill')
  writeFileSync(join(folder, 'trip', 'plan.txt.part'), 'not a part')
  writeFileSync(join(folder, 'trip', 'empty'), '')
  writeFileSync(join(folder, 'trip', 'day one', 'film.bin'), film)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

test('a folder has one CID and one key, and reveals neither names nor contents', async () => {
  const results = await uploadEncryptedFolder(owner, join(folder, 'trip'), { asOne: true })
  expect(results).toMatchObject([{ name: 'trip', sizeBytes: film.length + 21, keys: { done: [1, 2, 3, 4, 5] } }])
  const cid = results[0]?.cid ?? ''
  expect(await getFileInfo(owner, cid)).toMatchObject({ fileName: 'trip', encryption: true, mimeType: null })
  expect((await Array.fromAsync(listFiles(owner))).map((row) => row.cid)).toEqual([cid])
  const names = (await Array.fromAsync(listDirectory(owner, cid))).map(({ name }) => name)
  expect(names.sort()).toEqual(['0', '1', '2', '3', 'index'])
  expect(Buffer.from(await downloadBytes(owner, `${cid}/index`)).includes('film')).toBe(false)
  expect(await isFolder(owner, cid)).toBe(true)

  const opened = await openEncryptedFolder(owner, cid)
  expect(opened.files.map(({ path, sizeBytes }) => [path, sizeBytes]).sort()).toEqual([
    ['day one/film.bin', film.length],
    ['empty', 0],
    ['plan.txt', 11],
    ['plan.txt.part', 10],
  ])
  for (const { path, cidPath } of opened.files) {
    const bytes = await decryptBytes(owner, cidPath, { masterKey: opened.masterKey })
    expect(Buffer.from(bytes).equals(readFileSync(join(folder, 'trip', path))), path).toBe(true)
  }

  const target = join(folder, 'back')
  expect(await decryptFolder(owner, cid, target)).toEqual({ path: target, sizeBytes: film.length + 21, files: 4 })
  expect(readdirSync(target, { recursive: true }).sort()).toEqual([
    'day one',
    'day one/film.bin',
    'empty',
    'plan.txt',
    'plan.txt.part',
  ])
  expect(readFileSync(join(target, 'plan.txt'), 'utf8')).toBe('Up the hill')
  expect(readFileSync(join(target, 'plan.txt.part'), 'utf8')).toBe('not a part')
  await expect(decryptFolder(owner, cid, target)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
})

test.runIf(sep === '/')('backslashes in names are ordinary characters, in encrypted and in plain folders', async () => {
  const entries = [
    { path: 'back\\slash', content: 'one' },
    { path: '..\\up', content: 'two' },
  ]
  const names = entries.map(({ path }) => path).toSorted()
  const [encrypted] = await uploadEncryptedFolder(owner, entries, { asOne: true, name: 'odd' })
  await decryptFolder(owner, encrypted?.cid ?? '', join(folder, 'odd'))
  expect(readdirSync(join(folder, 'odd')).toSorted()).toEqual(names)
  const { cid } = await uploadFolder(owner, entries, { name: 'odd' })
  await downloadFile(owner, cid, join(folder, 'odd plain'))
  expect(readdirSync(join(folder, 'odd plain')).toSorted()).toEqual(names)
})

test('names that differ only in case or Unicode form stay separate, together and one by one', async () => {
  const entries = ['a', 'A', 'caf\u00e9', 'cafe\u0301', 'b/x', 'B/x'].map((path) => ({ path, content: path }))
  const [encrypted] = await uploadEncryptedFolder(owner, entries, { asOne: true, name: 'equal' })
  const target = join(folder, 'equal')
  await decryptFolder(owner, encrypted?.cid ?? '', target)
  await decryptFolder(owner, encrypted?.cid ?? '', target, { overwrite: true })
  for (const { path, content } of entries) expect(readFileSync(join(target, path), 'utf8')).toBe(content)
  expect(readdirSync(target)).toHaveLength(entries.length)
  const { cid } = await uploadFolder(owner, entries, { name: 'equal' })
  for (const [index, { path, content }] of entries.entries()) {
    await downloadFile(owner, `${cid}/${path}`, join(folder, `equal ${index}`))
    expect(readFileSync(join(folder, `equal ${index}`), 'utf8')).toBe(content)
  }
})

test('restores empty folders, below an encrypted folder and as one', async () => {
  const top = join(folder, 'with empty')
  mkdirSync(join(top, 'a', 'b'), { recursive: true })
  mkdirSync(join(top, 'c'))
  const nothing = join(folder, 'nothing')
  mkdirSync(nothing)
  const upload = async (path: string) => (await uploadEncryptedFolder(owner, path, { asOne: true }))[0]?.cid ?? ''
  const store = async (path: string, name: string) => {
    await decryptFolder(owner, await upload(path), join(folder, name))
    return readdirSync(join(folder, name), { recursive: true }).toSorted()
  }
  expect(await store(nothing, 'nothing back')).toEqual([])
  expect(await store(top, 'folders back')).toEqual(['a', 'a/b', 'c'])
  writeFileSync(join(top, 'c', 'file'), 'text')
  expect(await store(top, 'mixed back')).toEqual(['a', 'a/b', 'c', 'c/file'])
  expect((await openEncryptedFolder(owner, await upload(top))).folders).toEqual(['a/b'])
  const entries = [
    { path: 'file', content: 'text' },
    { path: 'a/b', content: new Blob([], { type: 'application/x-directory' }) },
  ]
  const [named] = await uploadEncryptedFolder(owner, entries, { asOne: true })
  expect((await openEncryptedFolder(owner, named?.cid ?? '')).folders).toEqual(['a/b'])
  // Files that are encrypted one by one have no place for a folder.
  const leftOut: string[] = []
  await uploadEncryptedFolder(owner, entries, { onLeftOut: (path) => leftOut.push(path) })
  expect(leftOut).toEqual(['folder/a/b'])
  await expect(uploadEncryptedFolder(owner, nothing)).rejects.toMatchObject({
    code: 'NO_FILE',
    hint: expect.stringContaining('--as-one'),
  })
})

test('the progress of its download counts within a file', async () => {
  const [stored] = await uploadEncryptedFolder(owner, [{ path: 'film', content: film }], { asOne: true })
  const seen: number[] = []
  await decryptFolder(owner, stored?.cid ?? '', join(folder, 'progress'), {
    onProgress: ({ bytes }) => seen.push(bytes),
  })
  // The first bytes are always reported.
  expect(seen[0]).toBeLessThan(film.length)
  expect(seen.at(-1)).toBe(film.length)
})

test('is shared and revoked as a whole', async () => {
  const entries = [
    { path: 'a.txt', content: 'one' },
    { path: 'b/c.txt', content: 'two' },
  ]
  const [result] = await uploadEncryptedFolder(owner, entries, { asOne: true, name: 'pair' })
  const cid = result?.cid ?? ''
  await expect(openEncryptedFolder(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  await shareFile(owner, cid, [friend.address])
  const { masterKey, files } = await openEncryptedFolder(friend, cid)
  const second = files.find(({ path }) => path === 'b/c.txt')
  expect(textOf(await decryptBytes(friend, second?.cidPath ?? '', { masterKey }))).toBe('two')
  await revokeAccess(owner, cid, [friend.address])
  await expect(openEncryptedFolder(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
})

test('rejects additions and removals, which would be public, in a copy without a key', async () => {
  const entries = [{ path: 'a.txt', content: 'a secret' }]
  const [encrypted] = await uploadEncryptedFolder(owner, entries, { asOne: true, name: 'closed' })
  const cid = encrypted?.cid ?? ''
  const refused = { code: 'NOT_SUPPORTED', message: 'A folder encrypted as one cannot be changed' }
  // By the owner, whose listing says so, and by others, through the key nodes.
  for (const client of [owner, friend]) {
    const put = [{ path: 'b.txt', content: 'another secret' }]
    await expect(changeFolder(client, cid, { put })).rejects.toMatchObject(refused)
    await expect(changeFolder(client, cid, { remove: ['0'] })).rejects.toMatchObject(refused)
  }
  // Its key cannot be replaced either.
  await expect(rotateFile(owner, cid)).rejects.toMatchObject({
    code: 'NOT_A_FILE',
    message: 'The key of a folder that is encrypted as one cannot be rotated',
  })
  // A public folder with the same names is an ordinary one.
  const plain = await uploadFolder(owner, [
    { path: '0', content: 'zero' },
    { path: 'index', content: 'index' },
  ])
  const changed = await changeFolder(owner, plain.cid, { remove: ['0'] })
  expect((await Array.fromAsync(listDirectory(owner, changed.cid))).map(({ name }) => name)).toEqual(['index'])
})

test('separately encrypted files have their own CIDs as before; a single file is not a folder', async () => {
  const entries = [
    { path: 'a.txt', content: 'one' },
    { path: 'b/c.txt', content: 'two' },
  ]
  const results = await uploadEncryptedFolder(owner, entries, { name: 'pair' })
  expect(results.map(({ name }) => name)).toEqual(['pair/a.txt', 'pair/b/c.txt'])
  const { cid } = await uploadEncryptedText(owner, 'alone')
  expect(await isFolder(owner, cid)).toBe(false)
  await expect(openEncryptedFolder(owner, cid)).rejects.toThrow()
  await expect(uploadEncryptedFolder(owner, [], { asOne: true })).rejects.toMatchObject({ code: 'NO_FILE' })
})

test('the command line uploads a folder as one, and reads it back whole or one file of it', async () => {
  const cairn = async (...args: string[]) =>
    runCli(args, {
      cwd: folder,
      env: { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: join(folder, 'config') },
    })
  const up = await cairn('upload', '--encrypt', '--as-one', 'trip', '--json')
  expect(up.code, up.err).toBe(0)
  const { cid }: { cid: string } = JSON.parse(up.out)
  const whole = await cairn('get', cid, '-o', 'whole')
  expect(whole.code, whole.err).toBe(0)
  expect(readFileSync(join(folder, 'whole', 'day one', 'film.bin')).equals(film)).toBe(true)
  const one = await cairn('get', `${cid}/plan.txt`, '-o', 'plan-again.txt')
  expect(one.code, one.err).toBe(0)
  expect(readFileSync(join(folder, 'plan-again.txt'), 'utf8')).toBe('Up the hill')
  const none = await cairn('get', `${cid}/nothing.txt`, '-o', 'none.txt')
  expect(none.code).not.toBe(0)
  expect(none.err).toContain('The folder does not contain nothing.txt')
  const wrong = await cairn('upload', '--encrypt', '--as-one', '--format', 'v1', 'trip')
  expect(wrong.err).toContain('must use format v2')
  expect((await cairn('upload', '--as-one', 'trip')).err).toContain('--as-one requires --encrypt')
  for (const call of [
    ['upload', '--encrypt', 'trip', '--share', '0x123'],
    ['share', cid, '0x123'],
  ]) {
    const invalid = await cairn(...call)
    expect([invalid.code, invalid.out, invalid.err]).toEqual([
      2,
      '',
      expect.stringContaining('"0x123" is not an address'),
    ])
  }
})

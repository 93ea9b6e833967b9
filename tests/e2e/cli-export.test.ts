// Leaving with everything: an account is exported by the command line and imported into another network.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  computeCid,
  createName,
  createNameKey,
  decryptBytes,
  downloadBytes,
  getConditions,
  importNameKey,
  listFiles,
  listKeyFiles,
  listNames,
  prepareKey,
  publishName,
  publishSigned,
  removeName,
  renameFile,
  resolveName,
  saveKey,
  transferFile,
  uploadBytes,
  uploadEncryptedBytes,
  uploadEncryptedFolder,
  uploadEncryptedText,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { storeLightWallet } from '../light-wallet.ts'
import { type CliRun, runCli } from '../run-cli.ts'

const privateKey = generatePrivateKey()
const friend = `0x${'56'.repeat(20)}`
let source: TestNetwork
let target: TestNetwork
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-export-'))
  ;[source, target] = await Promise.all([createTestNetwork({}, 'local'), createTestNetwork({}, 'local')])
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  for (const [config, key] of [
    ['at-source', privateKey],
    ['at-target', privateKey],
    ['stranger', generatePrivateKey()],
  ] as const) {
    const network = config === 'at-source' ? source : target
    await storeLightWallet(join(folder, config), key, 'correct horse')
    expect(await cairn(network, config, ['api-key', 'new'])).toMatchObject({ code: 0 })
  }
})
afterAll(async () => {
  await source?.[Symbol.asyncDispose]()
  await target?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function cairn(network: TestNetwork, config: string, args: string[]): Promise<CliRun> {
  return runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, config),
      CAIRN_PASSWORD_FILE: join(folder, 'password'),
    },
  })
}

async function listAll(network: TestNetwork) {
  const client = await createKeyClient(network, privateKey)
  const files = await Array.fromAsync(listFiles(client))
  const keys = await Array.fromAsync(listKeyFiles(client, 'owner'))
  const names = await Array.fromAsync(listNames(client))
  return {
    files: files
      .map(({ cid, fileName, mimeType, fileSizeInBytes, encryption, private: isPrivate }) =>
        [fileName, cid, mimeType, fileSizeInBytes, encryption, isPrivate].join(' '),
      )
      .sort(),
    keys: keys
      .map(({ cid, owner, sharedTo, hasConditions }) => ({ cid, owner, sharedTo, hasConditions }))
      .sort((a, b) => a.cid.localeCompare(b.cid)),
    names: names.map(({ name, label, value }) => ({ name, label, value })).sort((a, b) => a.name.localeCompare(b.name)),
  }
}

describe('export and import', () => {
  const secret = new Uint8Array(randomBytes(70_000))
  let [sharedCid, conditionalCid, largeCid] = ['', '', '']
  const large = new Uint8Array(randomBytes(3_000_000))
  const hidden = new Uint8Array(randomBytes(5_000))

  test('move an account to another network with the same CIDs, names, types, rights and keys', async () => {
    const client = await createKeyClient(source, privateKey)
    for (let i = 0; i < 30; i++) await uploadBytes(client, randomBytes(500 + i), { name: `note-${i}.txt` })
    largeCid = (await uploadBytes(client, large, { name: 'film.mp4', mimeType: 'video/mp4' })).cid
    // The same content under two names, and a name with the extension of a CAR.
    for (const name of ['twice.bin', 'again.bin', 'odd.car'])
      await uploadBytes(client, large.subarray(0, 9_000), { name })
    // Two names with folders, like S3 objects.
    for (const folderName of ['one', 'two']) {
      const { cid } = await uploadBytes(client, large.subarray(0, 7_000), { name: 'index.html' })
      for await (const { id, fileName } of listFiles(client, { search: cid }))
        if (fileName === 'index.html') await renameFile(client, id, `site/${folderName}/index.html`)
    }
    // A private file, and content that the account has both privately and publicly.
    const privateCid = (await uploadBytes(client, hidden, { name: 'hidden.bin', private: true })).cid
    await uploadBytes(client, large.subarray(0, 9_000), { name: 'twice.bin', private: true })
    sharedCid = (await uploadEncryptedBytes(client, secret, { name: 'secret', shareTo: [friend] })).cid
    const conditions = [
      {
        id: 1,
        chain: 'local',
        method: 'getBlockNumber',
        standardContractType: '',
        returnValueTest: { comparator: '>=', value: '13349' },
      },
    ]
    conditionalCid = (
      await uploadEncryptedText(client, 'behind a condition', { name: 'later', conditions: { conditions } })
    ).cid
    const held = await createName(client, { label: 'site' })
    await publishName(client, held.name, largeCid)
    const own = await createNameKey()
    await publishSigned(client, own, sharedCid, { label: 'own' })

    const exported = await cairn(source, 'at-source', ['export', '--all', 'backup', '--json'])
    expect(exported).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(exported.out)).toMatchObject({ files: 40, cars: 36, missing: [] })
    expect(statSync(join(folder, 'backup', 'keys.jsonl')).mode & 0o777).toBe(0o600)

    const imported = await cairn(target, 'at-target', ['import', 'backup', '--json'])
    expect(imported).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(imported.out)).toMatchObject({ uploaded: 40, fileKeys: 2, names: 2, missing: [] })

    expect(await listAll(target)).toEqual(await listAll(source))
    const there = await createKeyClient(target, privateKey)
    expect(await downloadBytes(there, largeCid)).toEqual(large)
    expect(await downloadBytes(there, privateCid)).toEqual(hidden)
    expect((await fetch(`${target.profile.gateway}/ipfs/${privateCid}`)).status).toBe(404)
    expect(JSON.parse(readFileSync(join(folder, 'backup', 'manifest.json'), 'utf8')).format).toBe('cairn-archive/2')
    expect(await decryptBytes(there, sharedCid)).toEqual(secret)
    expect((await getConditions(there, conditionalCid)).conditions).toEqual(
      (await getConditions(client, conditionalCid)).conditions,
    )
    expect((await resolveName(there, held.name)).cid).toBe(largeCid)
    expect((await resolveName(there, own.name)).cid).toBe(sharedCid)
  })

  test('resume, and do not fetch or upload again what is there', async () => {
    const cars = () =>
      readdirSync(join(folder, 'backup', 'cars'), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.car'))
        .map((path) => [path, statSync(join(folder, 'backup', 'cars', path)).mtimeMs] as const)
    const before = new Map(cars())
    const [gone = ''] = before.keys()
    unlinkSync(join(folder, 'backup', 'cars', gone))
    expect(await cairn(source, 'at-source', ['export', '--all', 'backup'])).toMatchObject({ code: 0 })
    const after = new Map(cars())
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort())
    for (const [path, time] of after) if (path !== gone) expect(time).toBe(before.get(path))
    const again = await cairn(target, 'at-target', ['import', 'backup', '--json'])
    expect(JSON.parse(again.out)).toMatchObject({ uploaded: 0, present: 40, fileKeys: 0, names: 0, missing: [] })
  })

  test('with --name-keys, let a wallet that opens the keys publish names after the import', async () => {
    expect(await cairn(source, 'at-source', ['export', '--all', 'with-keys', '--name-keys'])).toMatchObject({ code: 8 })
    // The key of the second name is on no machine known to the command line: this is reported, and the rest is exported.
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'with-keys', 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({
      missing: [{ kind: 'name key', code: 'NAME_KEY_WITH_OWNER' }],
      counts: { files: 40 },
    })
    const keys = readFileSync(join(folder, 'with-keys', 'keys.jsonl'), 'utf8')
      .trim()
      .split('\n')
    expect(keys).toHaveLength(3)
    expect(keys.join('')).not.toContain('PRIVATE KEY')
  })

  test('bring back the name keys of this machine on another one of the same account, including those of unpublished names', async () => {
    const client = await createKeyClient(source, privateKey)
    const held = await createName(client, { label: 'unpublished at the service' })
    expect(await cairn(source, 'at-source', ['name', 'create', '--local', 'published'])).toMatchObject({ code: 0 })
    expect(await cairn(source, 'at-source', ['name', 'publish', 'published', largeCid])).toMatchObject({ code: 0 })
    expect(await cairn(source, 'at-source', ['name', 'create', '--local', 'unpublished'])).toMatchObject({ code: 0 })
    expect(await cairn(source, 'at-source', ['export', '--all', 'with-own', '--name-keys'])).toMatchObject({ code: 8 })

    const listKept = async (network: TestNetwork, config: string) => {
      const { out } = await cairn(network, config, ['name', 'list', '--json'])
      const rows = out.split('\n').filter((line) => line !== '')
      return rows
        .map((line) => JSON.parse(line))
        .flatMap(({ label, key }) => (key === 'here' ? [label] : []))
        .sort()
    }
    // The same account on a newly set up machine.
    await storeLightWallet(join(folder, 'fresh'), privateKey, 'correct horse')
    expect(await cairn(source, 'fresh', ['api-key', 'new'])).toMatchObject({ code: 0 })
    expect(await listKept(source, 'fresh')).toEqual([])
    const restored = await cairn(source, 'fresh', ['import', 'with-own', '--json'])
    expect(JSON.parse(restored.out)).toMatchObject({ names: 0, nameKeys: 2, missing: [] })
    expect(await listKept(source, 'fresh')).toEqual(['published', 'unpublished'])
    expect(await cairn(source, 'fresh', ['name', 'publish', 'published', sharedCid])).toMatchObject({ code: 0 })
    const again = await cairn(source, 'fresh', ['import', 'with-own', '--json'])
    expect(JSON.parse(again.out)).toMatchObject({ names: 0, nameKeys: 0, missing: [] })

    // Another network, whose service has none of the keys.
    const moved = await cairn(target, 'at-target', ['import', 'with-own', '--json'])
    expect(JSON.parse(moved.out)).toMatchObject({ names: 1, nameKeys: 4, missing: [] })
    expect(await listKept(target, 'at-target')).toEqual(
      ['site', 'published', 'unpublished', 'unpublished at the service'].sort(),
    )

    // Without keys, a name that was never published is reported as missing.
    expect(await cairn(source, 'at-source', ['export', '--all', 'without-keys'])).toMatchObject({ code: 0 })
    await removeName(client, held.name)
    const without = await cairn(source, 'fresh', ['import', 'without-keys', '--json'])
    expect([without.code, JSON.parse(without.out).missing]).toEqual([
      8,
      [{ kind: 'name', id: held.name, code: 'KEY_NOT_FOUND', message: expect.stringContaining('never published') }],
    ])
    expect(await cairn(source, 'at-source', ['export', '--all', 'x', '--name-keys', '--no-keys'])).toMatchObject({
      code: 2,
    })
  })

  test('let another wallet open none of the keys, and import only what is not encrypted', async () => {
    const { code, out } = await cairn(target, 'stranger', ['import', 'backup', '--json'])
    expect(code).toBe(8)
    const { uploaded, fileKeys, missing } = JSON.parse(out)
    expect({ uploaded, fileKeys }).toEqual({ uploaded: 38, fileKeys: 0 })
    expect(missing.map(({ kind, code: why }: { kind: string; code: string }) => [kind, why])).toContainEqual([
      'file key',
      'INVALID_ARCHIVE',
    ])
  })

  test('reject a changed list, report a damaged CAR, and import the rest', async () => {
    const elsewhere = await createTestNetwork()
    try {
      await storeLightWallet(join(folder, 'elsewhere'), privateKey, 'correct horse')
      expect(await cairn(elsewhere, 'elsewhere', ['api-key', 'new'])).toMatchObject({ code: 0 })
      const car = join(folder, 'backup', 'cars', largeCid.slice(-2), `${largeCid}.car`)
      const bytes = readFileSync(car)
      bytes[bytes.length - 100] = (bytes.at(-100) ?? 0) ^ 1
      writeFileSync(car, bytes)
      const { code, out } = await cairn(elsewhere, 'elsewhere', ['import', 'backup', '--json'])
      expect(code).toBe(8)
      expect(JSON.parse(out)).toMatchObject({
        uploaded: 38,
        missing: [
          // Nothing can evaluate this condition there, so the file that it guards is not listed without it.
          { kind: 'file key', id: conditionalCid, code: 'CHAIN_NOT_SUPPORTED' },
          { kind: 'file', id: largeCid, code: 'BLOCK_HASH_MISMATCH' },
        ],
      })
      writeFileSync(
        join(folder, 'backup', 'files.jsonl'),
        `${readFileSync(join(folder, 'backup', 'files.jsonl'), 'utf8')}\n`,
      )
      const refused = await cairn(elsewhere, 'elsewhere', ['import', 'backup', '--json'])
      expect([refused.code, JSON.parse(refused.err).error.code]).toEqual([7, 'INVALID_ARCHIVE'])
    } finally {
      await elsewhere[Symbol.asyncDispose]()
    }
  })

  test('leave a folder with other contents alone', async () => {
    const { code, err } = await cairn(source, 'at-source', ['export', '--all', '.', '--json'])
    expect([code, JSON.parse(err).error.code]).toEqual([1, 'FILE_EXISTS'])
    const onFile = await cairn(source, 'at-source', ['export', '--all', 'password'])
    expect([onFile.code, onFile.err]).toEqual([1, expect.stringContaining('password is a file [FILE_EXISTS]')])
    const inFile = await cairn(source, 'at-source', ['export', '--all', join('password', 'x')])
    expect([inFile.code, inFile.err]).toEqual([1, expect.stringContaining('password is a file [FILE_EXISTS]')])
    const nowhere = await cairn(source, 'at-source', ['export', '--all', '/proc/backup'])
    expect([nowhere.code, nowhere.err]).toEqual([
      1,
      expect.stringContaining('cannot be created: /proc/backup (ENOENT)'),
    ])
    expect(await cairn(source, 'at-source', ['export', 'backup'])).toMatchObject({ code: 2 })
  })
})

test('the program of docs/file-format.md decrypts an export without Cairn', async () => {
  const ownKey = generatePrivateKey()
  await storeLightWallet(join(folder, 'opener'), ownKey, 'correct horse')
  expect(await cairn(source, 'opener', ['api-key', 'new'])).toMatchObject({ code: 0 })
  const client = await createKeyClient(source, ownKey)
  const content = new Uint8Array(randomBytes(2_500_000))
  const small = await uploadEncryptedBytes(client, content.subarray(0, 70_000), { name: 'small' })
  const chunked = await uploadEncryptedBytes(client, content, { name: 'chunked', format: 'v2' })
  const letters = [{ path: 'may/first.txt', content: 'Dear Ida' }]
  const [album] = await uploadEncryptedFolder(client, letters, { name: 'letters', asOne: true })
  const { name } = await createName(client, { label: 'site' })
  expect(await cairn(source, 'opener', ['export', '--all', 'to-open', '--name-keys'])).toMatchObject({ code: 0 })

  const program = join(import.meta.dirname, '../../examples/open-export/open-export.mjs')
  const open = (...args: string[]) => execFileSync(process.execPath, [program, 'to-open', ...args], { cwd: folder })
  const message = open().toString()
  const signature = await privateKeyToAccount(ownKey).signMessage({ message })
  const decrypt = (cid: string, from: string) => {
    open(signature, cid, from, `${from}.plain`)
    return join(folder, `${from}.plain`)
  }
  const save = async (cid: string, name: string) => writeFileSync(join(folder, name), await downloadBytes(client, cid))

  const nameKey = await importNameKey(open(signature, name).toString())
  expect(nameKey.name).toBe(name)
  await save(small.cid, 'v1')
  expect(new Uint8Array(readFileSync(decrypt(small.cid, 'v1')))).toEqual(content.subarray(0, 70_000))
  await save(chunked.cid, 'v2')
  expect(new Uint8Array(readFileSync(decrypt(chunked.cid, 'v2')))).toEqual(content)
  expect(() => decrypt(small.cid, 'v2')).toThrow('The key does not match the file')
  const cid = album?.cid ?? ''
  mkdirSync(join(folder, 'album'))
  for (const name of ['index', '0']) await save(`${cid}/${name}`, join('album', name))
  expect(readFileSync(join(decrypt(cid, 'album'), 'may/first.txt'), 'utf8')).toBe('Dear Ida')
})

test('a repeated export keeps keys that neither the account nor this machine has any more', async () => {
  const ownKey = generatePrivateKey()
  for (const config of ['lost', 'replaced']) {
    await storeLightWallet(join(folder, config), ownKey, 'correct horse')
    expect(await cairn(source, config, ['api-key', 'new'])).toMatchObject({ code: 0 })
  }
  const client = await createKeyClient(source, ownKey)
  const { cid } = await uploadEncryptedText(client, 'kept', { name: 'diary', shareTo: [friend] })
  expect(await cairn(source, 'lost', ['name', 'create', '--local', 'only-here'])).toMatchObject({ code: 0 })
  expect(await cairn(source, 'lost', ['export', '--all', 'twice', '--name-keys'])).toMatchObject({ code: 0 })
  const readKeys = () =>
    readFileSync(join(folder, 'twice', 'keys.jsonl'), 'utf8')
      .split('\n')
      .sort()
  const before = readKeys()
  expect(before).toHaveLength(3)
  // The nodes no longer list the key under this owner, and the name key stays on the other machine.
  await transferFile(client, cid, friend)
  for (const options of [['--name-keys'], []]) {
    expect(await cairn(source, 'replaced', ['export', '--all', 'twice', ...options])).toMatchObject({ code: 0 })
    expect(readKeys()).toEqual(before)
  }
  await storeLightWallet(join(folder, 'moved'), ownKey, 'correct horse')
  expect(await cairn(target, 'moved', ['api-key', 'new'])).toMatchObject({ code: 0 })
  const imported = await cairn(target, 'moved', ['import', 'twice', '--json'])
  expect(JSON.parse(imported.out)).toMatchObject({ uploaded: 1, fileKeys: 1, nameKeys: 1, missing: [] })
  expect((await cairn(target, 'moved', ['name', 'list', '--json'])).out).toContain('only-here')
  const there = await createKeyClient(target, ownKey)
  expect(new TextDecoder().decode(await decryptBytes(there, cid))).toBe('kept')
  expect((await Array.fromAsync(listKeyFiles(there, 'owner'))).map(({ sharedTo }) => sharedTo)).toEqual([[]])
})

test('a key that an upload saved on two nodes before it failed is missing only if the account has the content', async () => {
  const ownKey = generatePrivateKey()
  await storeLightWallet(join(folder, 'halved'), ownKey, 'correct horse')
  expect(await cairn(source, 'halved', ['api-key', 'new'])).toMatchObject({ code: 0 })
  const client = await createKeyClient(source, ownKey)
  const { keyNodes = [] } = client.network
  const saveOnTwo = async (cid: string) => {
    const away = keyNodes.map((url, i) => (i < 2 ? url : 'http://127.0.0.1:9'))
    const halved = { ...client, network: { ...client.network, keyNodes: away } }
    await expect(saveKey(halved, cid, prepareKey(), { retryMs: 0 })).rejects.toMatchObject({
      code: 'CHANGE_INCOMPLETE',
    })
  }
  const whole = await uploadEncryptedText(client, 'whole', { name: 'whole' })
  await saveOnTwo((await computeCid(randomBytes(40))).cid)
  const listed = await Array.fromAsync(listKeyFiles(client, 'owner'))
  expect(listed.map(({ state }) => state).sort()).toEqual(['held', 'provisional'])
  const exported = await cairn(source, 'halved', ['export', '--all', 'halves', '--json'])
  expect([exported.code, JSON.parse(exported.out).missing]).toEqual([0, []])
  const keys = readFileSync(join(folder, 'halves', 'keys.jsonl'), 'utf8')
    .trim()
    .split('\n')
  expect(keys.map((line) => JSON.parse(line).cid)).toEqual([whole.cid])

  const { cid } = await uploadBytes(client, randomBytes(40), { name: 'without a key' })
  await saveOnTwo(cid)
  const again = await cairn(source, 'halved', ['export', '--all', 'halves', '--json'])
  expect([again.code, JSON.parse(again.out).missing]).toEqual([
    8,
    [expect.objectContaining({ kind: 'file key', id: cid, code: 'KEY_NOT_FOUND' })],
  ])
})

test('the drive moves, too: folders, names, marks and trash', { timeout: 120_000 }, async () => {
  const list = async (network: TestNetwork, config: string, ...more: string[]) => {
    const { code, out, err } = await cairn(network, config, ['drive', 'ls', '--json', ...more])
    expect(code, err).toBe(0)
    const rows = out.split('\n').filter((line) => line !== '')
    return rows.map((line) => {
      const { path, id, tags, isStarred } = JSON.parse(line)
      return { path, id, tags, isStarred }
    })
  }
  for (const args of [
    ['mkdir', 'notes'],
    ['mv', 'note-1.txt', 'note-2.txt', 'notes'],
    ['tag', 'notes/note-1.txt', 'old'],
    ['star', 'film.mp4'],
    ['rm', 'note-3.txt'],
  ])
    expect(await cairn(source, 'at-source', ['drive', ...args])).toMatchObject({ code: 0 })
  // The target has its own changes.
  expect(await cairn(target, 'at-target', ['drive', 'mkdir', 'there'])).toMatchObject({ code: 0 })

  expect(await cairn(source, 'at-source', ['export', '--all', 'drive-backup'])).toMatchObject({ code: 0 })
  expect(readFileSync(join(folder, 'drive-backup', 'drive.jsonl'), 'utf8')).not.toContain('notes')
  const imported = await cairn(target, 'at-target', ['import', 'drive-backup', '--json'])
  expect(imported, imported.err).toMatchObject({ code: 0 })
  expect(JSON.parse(imported.out)).toMatchObject({ fileKeys: 0, missing: [] })
  expect(JSON.parse(imported.out).driveValues).toBeGreaterThan(5)

  expect(await list(target, 'at-target', 'notes')).toEqual(await list(source, 'at-source', 'notes'))
  expect(await list(target, 'at-target', 'notes')).toMatchObject([{ path: '/notes/note-1.txt', tags: ['old'] }, {}])
  expect((await list(target, 'at-target', '--starred')).map(({ path }) => path)).toEqual(['/film.mp4'])
  expect((await list(target, 'at-target', '--trash')).map(({ path }) => path)).toEqual(['/note-3.txt'])
  expect((await list(target, 'at-target')).map(({ path }) => path)).toContain('/there')
  const again = await cairn(target, 'at-target', ['import', 'drive-backup', '--json'])
  expect(JSON.parse(again.out)).toMatchObject({ driveValues: 0, missing: [] })
})

test('preserves the order of uploads of one name or one CID, so that the drive shows the same versions', async () => {
  const client = await createKeyClient(source, privateKey)
  // A small file overtakes a large one sent at the same time.
  for (const [at, sizeBytes] of [6_000_000, 3_000_000, 20, 10].entries()) {
    const bytes = new Uint8Array(randomBytes(sizeBytes))
    await uploadBytes(client, bytes, { name: 'versions.bin' })
    await uploadBytes(client, bytes, { name: `copy ${at}.bin` })
  }
  const listVersions = async (network: TestNetwork, config: string) => {
    const { code, out, err } = await cairn(network, config, ['drive', 'ls', '--json'])
    expect(code, err).toBe(0)
    const items = out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    return items
      .filter(({ path }) => /versions|copy/.test(path))
      .map(({ path, id, versions }) => [path, id, versions.map(({ cid }: { cid: string }) => cid)])
  }
  expect(await cairn(source, 'at-source', ['export', '--all', 'versions'])).toMatchObject({ code: 0 })
  expect(await cairn(target, 'at-target', ['import', 'versions'])).toMatchObject({ code: 0 })
  const before = await listVersions(source, 'at-source')
  expect(before).toMatchObject([['/versions.bin', expect.any(String), { length: 4 }]])
  expect(await listVersions(target, 'at-target')).toEqual(before)
})

test('a file that a second import stores after its newer version is reported, with how to restore the newer one', async () => {
  const client = await createKeyClient(source, privateKey)
  const [older, newer] = [
    await uploadBytes(client, randomBytes(20), { name: 'late.bin' }),
    await uploadBytes(client, randomBytes(20), { name: 'late.bin' }),
  ]
  expect(await cairn(source, 'at-source', ['export', '--all', 'late'])).toMatchObject({ code: 0 })
  const car = join(folder, 'late/cars', older.cid.slice(-2), `${older.cid}.car`)
  renameSync(car, `${car}.away`)
  const first = await cairn(target, 'at-target', ['import', 'late', '--json'])
  expect([first.code, JSON.parse(first.out).displaced]).toEqual([8, []])
  renameSync(`${car}.away`, car)
  const second = await cairn(target, 'at-target', ['import', 'late'])
  expect(second.code).toBe(0)
  const command = `cairn drive restore "late.bin" --cid ${newer.cid}`
  expect(second.out).toContain(command)
  expect(await cairn(target, 'at-target', ['drive', 'restore', 'late.bin', '--cid', newer.cid])).toMatchObject({
    code: 0,
  })
  const { out } = await cairn(target, 'at-target', ['drive', 'versions', 'late.bin', '-q'])
  expect(out.split('\n')[0]).toContain(newer.cid)
})

test('announces imported content to indexers only if the user wants it', async () => {
  // The address of an indexer that never responds.
  const network = await createTestNetwork({ CAIRN_IPNI_INDEXERS: 'http://127.0.0.1:9' })
  try {
    await storeLightWallet(join(folder, 'announcing'), privateKey, 'correct horse')
    expect(await cairn(network, 'announcing', ['api-key', 'new'])).toMatchObject({ code: 0 })
    const importInto = async (name: string, ...more: string[]) => {
      const { out } = await cairn(network, 'announcing', ['import', name, ...more, '--json'])
      using database = new DatabaseSync(join(network.home, 'storage.sqlite'), { readOnly: true })
      const announced = database.prepare('select count(*) as count from announced_upload').get()?.['count']
      return { uploaded: JSON.parse(out).uploaded, announced }
    }
    const { uploaded, announced } = await importInto('versions')
    expect(uploaded).toBeGreaterThan(40)
    expect(announced).toBe(0)
    expect(await importInto('late', '--announce', 'on')).toEqual({ uploaded: 2, announced: 2 })
    const { code, err } = await cairn(network, 'announcing', ['import', 'late', '--announce', 'maybe'])
    expect([code, err]).toEqual([2, expect.stringContaining('--announce must be on or off')])
  } finally {
    await network[Symbol.asyncDispose]()
  }
})

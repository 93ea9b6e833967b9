// Leaving with everything, at scale: an account of many mixed files is exported, imported into an empty network, and compared.
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Client,
  createName,
  createNameKey,
  decryptBytes,
  downloadBytes,
  getConditions,
  getUsage,
  listDirectory,
  listFiles,
  listKeyFiles,
  listNames,
  publishName,
  publishSigned,
  resolveName,
  uploadBytes,
  uploadEncryptedBytes,
  uploadFolder,
} from '@cairn/sdk'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runAdmin } from '../../services/storage/src/admin/admin.fixture.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

/** Number of plain files. */
const fileCount = Number(process.env['CAIRN_TEST_EXIT_FILES'] ?? 5000)
const encryptedCount = 10 + Math.ceil(fileCount / 100)
const folderCount = Math.ceil(fileCount / 100)
const nameCount = 20
const parallel = 8

const privateKey = generatePrivateKey()
const friends = [`0x${'56'.repeat(20)}`, `0x${'78'.repeat(20)}`]
const networks: TestNetwork[] = []
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-exit-'))
  for (let i = 0; i < 2; i++) networks.push(await createTestNetwork({}, 'local'))
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  writeFileSync(join(folder, 'wallet.key'), privateKey, { mode: 0o600 })
  for (const at of [0, 1]) {
    await cairn(at, 'wallet', 'import', 'wallet.key')
    await cairn(at, 'api-key', 'new')
  }
}, 300_000)
afterAll(async () => {
  for (const network of networks) await network[Symbol.asyncDispose]()
  if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

function networkAt(at: number): TestNetwork {
  const network = networks[at]
  if (network === undefined) throw new Error('The network did not start')
  return network
}

/** Runs the command line for one of the networks. Returns what it printed. */
async function cairn(at: number, ...args: string[]): Promise<string> {
  const { code, out, err } = await runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: join(networkAt(at).home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, `config-${at}`),
      CAIRN_PASSWORD_FILE: join(folder, 'password'),
    },
  })
  expect([args.join(' '), code, err.includes('"error"') ? err : '']).toEqual([args.join(' '), 0, ''])
  return out
}

/** Runs tasks, several at a time. */
async function runAll(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: parallel }, lane))
}

/** Stores one plain file: of all sizes, in both CID versions, with names that are equal, long or in other scripts. */
async function storeFile(client: Client, index: number): Promise<void> {
  const sizes = [0, 1, 300, 4_000, 20_000, 262_144, 262_145]
  const isLarge = index % 500 === 499
  const bytes = randomBytes(isLarge ? 5_000_000 : (sizes[index % sizes.length] ?? 0))
  const names = [
    `note-${index}.txt`,
    'same name.txt',
    `bild-ü-${index}.png`,
    `文件 ${index}.md`,
    `${'long'.repeat(40)}-${index}`,
  ]
  await uploadBytes(client, bytes, { name: names[index % names.length] ?? '', cidVersion: index % 3 === 0 ? 0 : 1 })
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Hashes of what was encrypted, by name. */
const secrets = new Map<string, string>()

async function storeEncrypted(client: Client, index: number): Promise<void> {
  const condition = (id: number, comparator: string, value: string) => ({
    id,
    chain: 'local',
    method: 'getBlockNumber',
    standardContractType: '',
    returnValueTest: { comparator, value },
  })
  const conditions = [condition(1, '>=', String(index)), condition(2, '<', '99999999999')]
  const name = `secret-${index}`
  const bytes = randomBytes(100 + index * 1000)
  secrets.set(name, hashOf(bytes))
  await uploadEncryptedBytes(client, bytes, {
    name,
    ...(index % 3 === 1 ? { shareTo: friends.slice(0, 1 + (index % 2)) } : {}),
    ...(index % 3 === 2
      ? { conditions: { conditions, aggregator: index % 2 === 0 ? '([1] and [2])' : '([1] or [2])' } }
      : {}),
  })
}

/** The contents of an account as text, so that two can be compared. */
async function describeAccount(client: Client) {
  const files = await Array.fromAsync(listFiles(client))
  const keys = await Array.fromAsync(listKeyFiles(client, 'owner'))
  const conditions: unknown[] = []
  for (const { cid, hasConditions } of keys) if (hasConditions) conditions.push([cid, await getConditions(client, cid)])
  const names: unknown[] = []
  for await (const { name, label, value } of listNames(client)) {
    names.push([name, label, value, (await resolveName(client, name)).value])
  }
  const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  return {
    files: sorted(
      files.map(({ cid, fileName, mimeType, fileSizeInBytes, encryption }) => [
        cid,
        fileName,
        mimeType,
        fileSizeInBytes,
        encryption,
      ]),
    ),
    rights: sorted(keys.map(({ cid, owner, sharedTo, hasConditions }) => [cid, owner, sharedTo, hasConditions])),
    conditions: sorted(conditions),
    names: sorted(names),
    usedBytes: (await getUsage(client)).usedBytes,
  }
}

/** Text of each file of a stored folder, by path. */
function folderContents(index: number): [path: string, text: string][] {
  return Array.from({ length: 1 + (index % 9) }, (_, i) => [`deep/${i}/a.txt`, `${index} ${i}`])
}

/** Reads all files below a folder. Each block is verified. */
async function readFolder(client: Client, root: string): Promise<[path: string, text: string][]> {
  const found: [string, string][] = []
  for await (const { name: top } of listDirectory(client, root)) {
    for await (const { name } of listDirectory(client, `${root}/${top}`)) {
      for await (const file of listDirectory(client, `${root}/${top}/${name}`)) {
        const path = `${top}/${name}/${file.name}`
        found.push([path, Buffer.from(await downloadBytes(client, `${root}/${path}`)).toString()])
      }
    }
  }
  return found
}

async function listDrive(at: number): Promise<unknown[]> {
  const lines = (await cairn(at, 'drive', 'ls', '--json')).split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const { path, id, tags, isStarred } = JSON.parse(line)
    return { path, id, tags, isStarred }
  })
}

/** Sets the storage limit that an account paid for elsewhere. */
async function grant(at: number, address: string, bytes: number): Promise<void> {
  const environment = { CAIRN_HOME: networkAt(at).storage.context.config.home }
  const { code } = await runAdmin(environment, 'ledger', 'adjust', address, String(bytes), '--reason', 'moved here')
  expect(code).toBe(0)
}

test(`an account of ${fileCount} mixed files moves to an empty network without loss`, async () => {
  const client = await createKeyClient(networkAt(0), privateKey)
  const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    const result = await run()
    console.log(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`)
    return result
  }
  // More than the free allowance, as if it was paid for.
  await grant(0, client.address, 10 * 1024 ** 3)
  await step('store', async () => {
    await runAll(fileCount, (index) => storeFile(client, index))
    await runAll(encryptedCount, (index) => storeEncrypted(client, index))
    await runAll(folderCount, async (index) => {
      const entries = folderContents(index).map(([path, content]) => ({ path, content }))
      await uploadFolder(client, entries, { name: `folder-${index}` })
    })
    const cids = (await Array.fromAsync(listFiles(client))).map(({ cid }) => cid)
    for (let i = 0; i < nameCount; i++) {
      if (i % 4 === 3) await publishSigned(client, await createNameKey(), cids[i] ?? '', { label: `own ${i}` })
      else {
        const { name } = await createName(client, { label: `site ${i}` })
        await publishName(client, name, cids[i + 1] ?? '')
        await publishName(client, name, cids[i] ?? '')
      }
    }
    for (const args of [
      ['mkdir', 'notes'],
      ['mv', 'note-0.txt', 'note-5.txt', 'notes'],
      ['tag', 'notes/note-0.txt', 'old'],
      ['star', 'notes/note-5.txt'],
    ])
      await cairn(0, 'drive', ...args)
  })

  const exported = JSON.parse(await step('export', () => cairn(0, 'export', '--all', 'backup', '--json')))
  expect(exported.missing).toEqual([])
  expect(exported.files).toBe(fileCount + encryptedCount + folderCount)
  const there = await createKeyClient(networkAt(1), privateKey)
  await grant(1, there.address, 10 * 1024 ** 3)
  const imported = JSON.parse(await step('import', () => cairn(1, 'import', 'backup', '--json')))
  expect(imported).toMatchObject({ uploaded: exported.files, names: nameCount, missing: [] })

  const before = await describeAccount(client)
  const after = await describeAccount(there)
  expect(before.files.length).toBe(exported.files)
  expect(before.rights.length).toBeGreaterThanOrEqual(encryptedCount)
  // Each account has its own drive, whose parts have their own keys.
  const without = (rows: string[], others: string[]) => rows.filter((row) => !new Set(others).has(row))
  expect(without(before.rights, after.rights)).toHaveLength(1)
  expect(without(after.rights, before.rights)).toHaveLength(1)
  expect(after.files).toEqual(before.files)
  expect(after.conditions).toEqual(before.conditions)
  expect(after.names).toEqual(before.names)
  expect(after.usedBytes).toBe(before.usedBytes)
  expect((await getUsage(there)).limitBytes).toBe((await getUsage(client)).limitBytes)
  expect(await listDrive(1)).toEqual(await listDrive(0))

  // Every byte: downloads are verified against their CIDs, which are the same. Encrypted files are compared after decryption.
  let comparedSecrets = 0
  let comparedFolders = 0
  await step('read everything', async () => {
    const files = await Array.fromAsync(listFiles(there))
    await runAll(files.length, async (index) => {
      const file = files[index]
      if (file === undefined) return
      const { cid, fileName } = file
      if (fileName.startsWith('folder-')) {
        expect(await readFolder(there, cid)).toEqual(folderContents(Number(fileName.slice('folder-'.length))))
        comparedFolders++
      } else if (secrets.has(fileName)) {
        expect(hashOf(await decryptBytes(there, cid))).toBe(secrets.get(fileName))
        comparedSecrets++
      } else if (!file.encryption) {
        expect((await downloadBytes(there, cid)).length).toBe(Number(file.fileSizeInBytes))
      }
    })
  })
  expect([comparedSecrets, comparedFolders]).toEqual([encryptedCount, folderCount])
  const { files, rights, conditions, names, usedBytes } = after
  const counts = { files: files.length, rights: rights.length, conditions: conditions.length, names: names.length }
  console.log(JSON.stringify({ ...counts, usedBytes }))

  // A repetition changes nothing.
  const again = JSON.parse(await step('import again', () => cairn(1, 'import', 'backup', '--json')))
  expect(again).toMatchObject({ uploaded: 0, present: exported.files, fileKeys: 0, names: 0, missing: [] })
})

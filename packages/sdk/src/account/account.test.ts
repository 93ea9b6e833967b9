import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWallet, signMessage } from '@cairn/crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import { deleteFile, getFileInfo, pinCid, renameFile } from '../files/files.ts'
import { listFiles, listFilesPage } from '../files/list-files.ts'
import { loadNetwork } from '../load-network.ts'
import { uploadText } from '../upload/upload-file.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { getQuote } from './quote.ts'
import { getStatus } from './status.ts'
import { getUsage } from './usage.ts'

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-account-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A client with the API key of a new wallet. */
async function createAccount(): Promise<Client> {
  const open = createClient({ network: network.profile })
  const { privateKey } = createWallet()
  return createClient({ network: network.profile, apiKey: await createApiKey(open, { privateKey }) })
}

test('a private key or a signing function creates keys, which can be named, narrowed, listed and revoked', async () => {
  const open = createClient({ network: network.profile })
  const { address, privateKey } = createWallet()
  const rights = { scopes: ['files:read', 'files:write', 'account'], expiresAt: null } as const
  const all = createClient({ network: network.profile, apiKey: await createApiKey(open, { privateKey }, rights) })
  const signed: string[] = []
  const sign = async (message: string) => {
    signed.push(message)
    return signMessage(privateKey, message)
  }
  const narrow = await createApiKey(
    open,
    { address, sign },
    { name: 'reader', scopes: ['files:read'], expiresAt: null },
  )
  const reader = createClient({ network: network.profile, apiKey: narrow })
  expect(await getUsage(reader)).toEqual({ limitBytes: expect.any(Number), usedBytes: 0 })
  await expect(listApiKeys(reader)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const found = (await listApiKeys(all)).find(({ name }) => name === 'reader')
  expect(found).toMatchObject({ scopes: ['files:read'], expiresAt: null })
  expect(signed[0]).toContain('\nPurpose: Create an API key\nKey Scopes: files:read\nKey Expiration Time: never\n')
  // By default an API key reads and writes files, and expires.
  await createApiKey(open, { address, sign }, { name: 'usual' })
  const usual = (await listApiKeys(all)).find(({ name }) => name === 'usual')
  expect(usual?.scopes).toEqual(['files:read', 'files:write'])
  expect(signed[1]).toContain(`\nKey Expiration Time: ${new Date(usual?.expiresAt ?? 0).toISOString()}\n`)
  expect(JSON.stringify(found)).not.toContain(narrow)
  await revokeApiKey(all, found?.id ?? '')
  await expect(getUsage(reader)).rejects.toMatchObject({ code: 'API_KEY_REVOKED' })
  const other = createWallet()
  const wrong = createApiKey(open, { address, sign: async (message) => signMessage(other.privateKey, message) })
  await expect(wrong).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' })
})

test('only the account of an upload lists, shows, renames, pins and deletes it', async () => {
  const client = await createAccount()
  const names = ['a.txt', 'b.txt', 'c.txt']
  const cids: string[] = []
  for (const name of names) cids.push((await uploadText(client, `text of ${name}`, { name })).cid)
  const listed: string[] = []
  for await (const { fileName } of listFiles(client, { limit: 1, sort: 'fileName', order: 'asc' }))
    listed.push(fileName)
  expect(listed).toEqual(names)
  const { fileList, totalFiles } = await listFilesPage(client, { search: 'b.t' })
  expect(totalFiles).toBe(1)
  const [row] = fileList
  expect(row).toMatchObject({ fileName: 'b.txt', cid: cids[1] })
  for (const wrong of ['a\nb', 'a\u202efdp.exe']) {
    await expect(renameFile(client, row?.id ?? '', wrong)).rejects.toMatchObject({ code: 'INVALID_LABEL' })
    await expect(pinCid(client, cids[0] ?? '', wrong)).rejects.toMatchObject({ code: 'INVALID_LABEL' })
  }
  expect(await renameFile(client, row?.id ?? '', 'new.txt')).toMatchObject({ fileName: 'new.txt', cid: cids[1] })
  expect(await getFileInfo(client, cids[0] ?? '')).toMatchObject({ fileName: 'a.txt', fileSizeInBytes: '13' })
  await expect(getFileInfo(client, 'no cid')).rejects.toMatchObject({ code: 'INVALID_CID' })

  const stranger = await createAccount()
  await expect(deleteFile(stranger, { id: row?.id ?? '' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await pinCid(stranger, cids[1] ?? '', 'mine')).toMatchObject({ cid: cids[1], fileName: 'mine' })
  expect(await getFileInfo(stranger, cids[1] ?? '')).toMatchObject({ fileName: 'mine', isOwn: true })
  expect(await getFileInfo(stranger, cids[0] ?? '')).toMatchObject({ fileName: 'a.txt', isOwn: false })
  const info = await getFileInfo(createClient({ network: network.profile }), cids[1] ?? '')
  expect(info).toMatchObject({ fileName: 'new.txt' })
  expect(info).not.toHaveProperty('isOwn')
  const wrongKey = createClient({ network: network.profile, apiKey: 'wrong' })
  await expect(getFileInfo(wrongKey, cids[1] ?? '')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await deleteFile(client, { id: row?.id ?? '' })
  await deleteFile(client, { cid: cids[0] ?? '' })
  expect((await listFilesPage(client)).fileList.map(({ fileName }) => fileName)).toEqual(['c.txt'])
  expect((await listFilesPage(stranger)).fileList.map(({ fileName }) => fileName)).toEqual(['mine'])
})

test('a quote measures a file and a folder without sending them', async () => {
  const client = await createAccount()
  writeFileSync(join(folder, 'page.html'), '<p>')
  writeFileSync(join(folder, 'odd'), '12345')
  const html = { fileSize: 3, mimeType: 'text/html', fileName: 'page.html' }
  expect(await getQuote(client, join(folder, 'page.html'))).toMatchObject({ metaData: [html], totalSize: 3 })
  const quote = await getQuote(client, folder)
  expect(quote).toMatchObject({ totalSize: 8, dataUsed: 0 })
  expect(quote.metaData).toContainEqual({ fileSize: 5, mimeType: false, fileName: 'odd' })
  await expect(getQuote(client, join(folder, 'none'))).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})

test('finds a network only by its URL or a file', async () => {
  const { api, gateway } = network.profile
  expect(await loadNetwork(`${api}/`)).toMatchObject({ api, gateway })
  const path = join(folder, 'network.json')
  writeFileSync(path, JSON.stringify(network.profile))
  expect(await loadNetwork(path)).toMatchObject({ api, gateway })
  for (const text of ['', '{', '{}', '[]', JSON.stringify({ ...network.profile, api: 7 })]) {
    writeFileSync(path, text)
    await expect(loadNetwork(path), text).rejects.toMatchObject({ code: 'NO_NETWORK' })
  }
  await expect(loadNetwork(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'NO_NETWORK' })
})

test('reports the status of a network, even if it is offline', async () => {
  expect(await getStatus(createClient({ network: network.profile }))).toMatchObject({ ready: true })
  const nowhere = { ...network.profile, api: 'http://127.0.0.1:1' }
  expect(await getStatus(createClient({ network: nowhere }))).toMatchObject({
    ready: false,
    error: { code: 'NETWORK_ERROR' },
  })
})

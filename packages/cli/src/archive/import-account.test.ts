import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { shortageErrors } from '@cairn/protocol'
import { createClient } from '@cairn/sdk'
import { encodeCarFrame, encodeCarHeader } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { carPath, listPath, type Manifest } from './format.ts'
import { importAccount } from './import-account.ts'

const fileCount = 12
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-import-'))
  const rows: object[] = []
  for (let number = 0; number < fileCount; number++) {
    const bytes = Buffer.from(`file ${number}`)
    const cid = CID.createV1(0x55, create(0x12, createHash('sha256').update(bytes).digest()))
    const car = carPath(cid.toString())
    await mkdir(dirname(join(folder, car)), { recursive: true })
    await writeFile(join(folder, car), [encodeCarHeader([cid]), encodeCarFrame(cid, bytes.length), bytes])
    const facts = { mimeType: null, sizeBytes: bytes.length, createdAt: new Date(number).toISOString() }
    rows.push({ cid: cid.toString(), name: `file ${number}`, ...facts, isEncrypted: false, car })
  }
  await writeFile(join(folder, listPath('files')), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A storage service without any content that refuses each upload. */
async function startRefusing(status: number, code: string) {
  let uploads = 0
  const server = createServer(async (request, response) => {
    const isUpload = request.method === 'POST'
    if (isUpload) uploads++
    for await (const _piece of request);
    const listed = request.url?.startsWith('/api/names') ? { names: [] } : { fileList: [], totalFiles: 0 }
    const body = isUpload ? { error: 'refused', code } : listed
    response.writeHead(isUpload ? status : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    uploadCount: () => uploads,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const manifest: Manifest = {
  format: 'cairn-archive/1',
  network: { name: 'other', api: 'http://127.0.0.1:1' },
  account: '0x1',
  startedAt: '',
  completedAt: '',
  seal: { scheme: 'eip191-hkdf-sha256-aes256gcm', salt: '00'.repeat(32) },
  counts: { files: fileCount, cars: fileCount, bytes: 0 },
  lists: [{ name: 'files', path: 'files.jsonl', rows: fileCount, sha256: '' }],
  missing: [],
}

test.each([
  ...shortageErrors.map((code) => [code, 402] as const),
  ['API_KEY_EXPIRED', 401],
  ['API_KEY_REVOKED', 401],
  ['ACCOUNT_BLOCKED', 403],
] as const)('an account that cannot store more ends an import: %s', async (code, status) => {
  await using service = await startRefusing(status, code)
  const client = createClient({
    network: { name: 'here', api: service.url, upload: service.url, gateway: service.url },
    apiKey: 'key',
  })
  const importing = importAccount(client, folder, manifest, {
    createSeal: undefined,
    storeNameKey: async () => false,
    announce: false,
    signal: new AbortController().signal,
    onStep: () => undefined,
    onBytes: () => undefined,
  })
  await expect(importing).rejects.toMatchObject({ code })
  expect(service.uploadCount()).toBeLessThan(fileCount)
})

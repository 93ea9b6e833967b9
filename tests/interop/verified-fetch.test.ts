// The reading client of Helia verifies every block and record that it receives from a gateway and a router.
import { createHash } from 'node:crypto'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, createName, publishName, uploadBytes } from '@cairn/sdk'
import * as v from 'valibot'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { npmProgramFolder, verifiedFetch } from './npm-programs.ts'
import { runProgram } from './run-program.ts'

const rowSchema = v.object({ status: v.number(), bytes: v.number(), sha256: v.string() })
type Request = { url: string; range?: string }

const small = new TextEncoder().encode('hello world')
/** Many blocks. */
const large = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 31 + (i >> 9)) & 0xff)

/** The client beside its installed packages, where Node resolves them. */
const clientFile = join(npmProgramFolder(verifiedFetch), `client-${process.pid}.mjs`)

let network: TestNetwork
let apiKey = ''
const cids = { small: '', large: '', folder: '', cbor: '', name: '' }

beforeAll(async () => {
  await cp(join(import.meta.dirname, 'verified-fetch-client.mjs'), clientFile)
  network = await createTestNetwork()
  apiKey = (await createTestKey(network)).apiKey
  const client = createClient({ network: network.profile, apiKey })
  cids.small = (await uploadBytes(client, small, { name: 'small.txt' })).cid
  cids.large = (await uploadBytes(client, large, { name: 'large.bin' })).cid
  cids.folder = await add('/api/v0/add?wrap-with-directory=true', 'site/index.html', small)
  cids.cbor = await add(
    '/api/v0/dag/put?input-codec=dag-cbor&store-codec=dag-cbor',
    'block',
    new Uint8Array(Buffer.from('a2616101616202', 'hex')),
  )
  const { name } = await createName(client)
  await publishName(client, name, cids.small)
  cids.name = name
})

afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await rm(clientFile, { force: true })
})

/** Sends a file in Kubo's dialect. @returns the CID of the last line */
async function add(path: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([bytes]), name)
  const headers = { authorization: `Bearer ${apiKey}` }
  const answer = await fetch(`${network.profile.api}${path}`, { method: 'POST', headers, body })
  const text = (await answer.text()).trim()
  const last: { Hash?: string; Cid?: { '/': string } } = JSON.parse(text.slice(text.lastIndexOf('\n') + 1))
  const cid = last.Hash ?? last.Cid?.['/']
  if (cid === undefined) throw new Error(text)
  return cid
}

async function read(gateway: string, ...requests: Request[]) {
  const args = [clientFile, gateway, network.profile.api, ...requests.map((one) => JSON.stringify(one))]
  const output = await runProgram(process.execPath, args, { timeoutMs: 240_000 })
  return output
    .toString()
    .trim()
    .split('\n')
    .map((line) => v.parse(rowSchema, JSON.parse(line)))
}

const row = (bytes: Uint8Array, status = 200) => ({
  status,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

test('reads files of one and many blocks, a path in a folder, and a range from the gateway', async () => {
  const rows = await read(
    network.profile.gateway ?? '',
    { url: `ipfs://${cids.small}` },
    { url: `ipfs://${cids.large}` },
    { url: `ipfs://${cids.folder}/site/index.html` },
    { url: `ipfs://${cids.large}`, range: 'bytes=1000000-1999999' },
  )
  expect(rows).toEqual([row(small), row(large), row(small), row(large.slice(1_000_000, 2_000_000), 206)])
})

test('reads a dag-cbor block and a name from the gateway and the router', async () => {
  const [cbor, name] = await read(
    network.profile.gateway ?? '',
    { url: `ipfs://${cids.cbor}` },
    { url: `ipns://${cids.name}` },
  )
  expect(cbor?.status).toBe(200)
  expect(name).toEqual(row(small))
})

test('finds the content through the router alone, without a gateway', async () => {
  expect(await read('', { url: `ipfs://${cids.large}` })).toEqual([row(large)])
})

test('the example of the page reads content and a name', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/how-to/ipfs-network.md'), 'utf8')
  const { gateway = '', api } = network.profile
  const example = /```js read\.mjs\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const file = join(npmProgramFolder(verifiedFetch), `read-${process.pid}.mjs`)
  await writeFile(file, example.replace('http://127.0.0.1:8081', gateway).replace('http://127.0.0.1:8080', api))
  try {
    for (const url of [`ipfs://${cids.small}`, `ipns://${cids.name}`]) {
      const output = await runProgram(process.execPath, [file, url], { timeoutMs: 240_000 })
      expect(output.toString()).toBe('hello world\n')
    }
  } finally {
    await rm(file)
  }
})

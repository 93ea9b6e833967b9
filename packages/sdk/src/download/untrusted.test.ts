import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileImporter, encodeCarFrame, encodeCarHeader, profileFor } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSha256 } from '#platform/native-crypto'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import { uploadBytes } from '../upload/upload-file.ts'
import { uploadFolder } from '../upload/upload-folder.ts'
import { downloadCar } from './download-car.ts'
import { downloadFile } from './download-file.ts'
import { openGateway } from './gateway.fixture.ts'
import { downloadBytes } from './open-file.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-untrusted-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** A gateway with an arbitrary response. */
function gatewayOf(
  answer: (url: string, response: ServerResponse) => void | Promise<void>,
): Promise<Client & AsyncDisposable> {
  return openGateway(client, ({ url = '/' }, response) => answer(url, response))
}

function fill(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let i = 0; i < length; i++) bytes[i] = i * seed + (i >> 8)
  return bytes
}

test('an oversized block does not vouch for existing bytes', async () => {
  const wanted = fill(600_000, 31)
  const { cid } = await uploadBytes(client, wanted)
  const target = join(folder, 'vouched')
  // Left by the download of another file, or by another program.
  const foreign = fill(262_144, 7)
  writeFileSync(`${target}.part`, foreign)
  const lie = await nodeNaming(foreign, wanted)
  await using liar = await gatewayOf(async (url, response) => {
    if (url.includes('format=raw')) {
      response.end(lie)
      return
    }
    const real = await fetch(`${client.network.gateway}${url}`, { headers: { accept: 'application/vnd.ipld.car' } })
    response.end(Buffer.from(await real.arrayBuffer()))
  })
  await expect(downloadFile(liar, cid, target)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' })
  expect(existsSync(target)).toBe(false)
})

/** A well-formed file node of more than 4 MiB whose first leaf is `first`. */
async function nodeNaming(first: Uint8Array, rest: Uint8Array): Promise<Uint8Array> {
  const leaf = async (bytes: Uint8Array) => {
    let cid: CID | undefined
    const put = (of: CID) => {
      cid = of
    }
    const importer = createFileImporter({ profile: profileFor(1), hash: hashSha256, sink: { put } })
    await importer.write(bytes)
    await importer.finish()
    if (cid === undefined) throw new Error('no leaf')
    return { cid, sizeBytes: bytes.length }
  }
  const other = await leaf(rest.subarray(0, 1))
  return fileNode([await leaf(first), ...Array.from({ length: 100_000 }, () => other)])
}

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)])
const field = (tag: number, bytes: Uint8Array) =>
  Buffer.concat([Uint8Array.from([tag, ...varint(bytes.length)]), bytes])
const link = ({ cid, name = '', sizeBytes }: { cid: CID; name?: string; sizeBytes: number }) => {
  const size = Uint8Array.from([0x18, ...varint(sizeBytes)])
  return field(0x12, Buffer.concat([field(0x0a, cid.bytes), field(0x12, Buffer.from(name)), size]))
}

/** A folder node with one entry. */
function folderNode(entry: { cid: CID; name: string; sizeBytes: number }): Uint8Array {
  return Buffer.concat([link(entry), field(0x0a, Uint8Array.from([0x08, 1]))])
}

/** A file node with these parts. */
function fileNode(parts: readonly { cid: CID; sizeBytes: number }[]): Uint8Array {
  const sizes = parts.map(({ sizeBytes }) => Uint8Array.from([0x20, ...varint(sizeBytes)]))
  const total = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const data = Buffer.concat([Uint8Array.from([0x08, 2, 0x18, ...varint(total)]), ...sizes])
  return Buffer.concat([...parts.map((part) => link(part)), field(0x0a, data)])
}

test.each([
  ['empty parts', 0],
  ['parts of another size than stated', 1],
])('a download of a file with countless %s resumes without requesting them', async (_what, statedBytes) => {
  const leaf = fill(262_144, 31)
  const part = async (codec: number, bytes: Uint8Array, sizeBytes = bytes.length) => {
    return { cid: CID.createV1(codec, await sha256.digest(bytes)), bytes, sizeBytes }
  }
  // Each level has four times the parts of the one below. Only the lowest one states its size truly.
  const blocks = [await part(0x70, fileNode([]), statedBytes)]
  for (let level = 0; level < 4; level++) {
    const [below] = blocks
    if (below !== undefined) blocks.unshift(await part(0x70, fileNode(Array(4).fill(below)), statedBytes))
  }
  const first = await part(0x55, leaf)
  const [bomb] = blocks
  if (bomb === undefined) throw new Error('no level')
  const root = await part(0x70, fileNode([first, bomb, first]))
  const requested: string[] = []
  await using liar = await gatewayOf((url, response) => {
    const [, cid = ''] = /\/ipfs\/(\w+)/.exec(url) ?? []
    if (url.includes('format=raw')) {
      requested.push(cid)
      response.end([root, ...blocks].find((block) => block.cid.toString() === cid)?.bytes)
      return
    }
    const frames = [root, first, first].flatMap(({ cid: of, bytes }) => [encodeCarFrame(of, bytes.length), bytes])
    response.end(Buffer.concat([encodeCarHeader([root.cid]), ...frames]))
  })
  const target = join(folder, `countless ${statedBytes}`)
  writeFileSync(`${target}.part`, Buffer.concat([leaf, leaf.subarray(0, 10)]))
  const saved = downloadFile(liar, `${root.cid}`, target)
  if (statedBytes === 0) expect(await saved).toMatchObject({ sizeBytes: 2 * leaf.length })
  else await expect(saved).rejects.toMatchObject({ name: 'CairnError' })
  expect(requested.length).toBeLessThan(5)
})

test.each(['..', '.', '', '../beside', '/beside', 'a/../../beside', 'a\0b'])(
  'a folder with the name %j is refused',
  async (name) => {
    const block = async (codec: number, bytes: Uint8Array) => {
      return { cid: CID.createV1(codec, await sha256.digest(bytes)), bytes, sizeBytes: bytes.length }
    }
    const file = await block(0x55, fill(100, 31))
    const bad = await block(0x70, folderNode({ ...file, name }))
    const badFolder = await block(0x70, folderNode({ ...bad, name }))
    const above = await block(0x70, folderNode({ ...bad, name: 'fine' }))
    const dags = [[file], [bad, file], [above, bad, file], [badFolder, bad, file]]
    for (const sendsAll of [true, false]) {
      await using liar = await gatewayOf((url, response) => {
        const isAll = url.endsWith('dag-scope=all')
        const dag = dags.find(([root]) => url.includes(`${root?.cid}?`))?.slice(0, isAll ? undefined : 1) ?? []
        if (isAll && !sendsAll) {
          response.writeHead(501).end()
          return
        }
        const frames = dag.flatMap(({ cid, bytes }) => [encodeCarFrame(cid, bytes.length), bytes])
        response.end(Buffer.concat([encodeCarHeader(dag.map(({ cid }) => cid).slice(0, 1)), ...frames]))
      })
      for (const { cid } of [bad, above, badFolder]) {
        const around = mkdtempSync(join(folder, 'around '))
        const saved = downloadFile(liar, `${cid}`, join(around, 'target'), { overwrite: true })
        await expect(saved).rejects.toMatchObject({ code: 'INVALID_PATH' })
        const written = readdirSync(around, { recursive: true, encoding: 'utf8' })
        expect(['target', join('target', 'fine')]).toEqual(expect.arrayContaining(written))
      }
    }
  },
)

test('a download that fails verification closes its connection', async () => {
  const { cid } = await uploadBytes(client, fill(700_000, 31))
  const real = Buffer.from(
    await (
      await fetch(`${client.network.gateway}/ipfs/${cid}?format=car`, {
        headers: { accept: 'application/vnd.ipld.car' },
      })
    ).arrayBuffer(),
  )
  real[real.length >> 1] = (real[real.length >> 1] ?? 0) ^ 1
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  await using liar = await gatewayOf((_url, response) => {
    response.on('close', resolve)
    // Never ends: the reader has to close the connection.
    response.write(real)
  })
  await expect(downloadBytes(liar, cid)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' })
  await closed
})

test('keeps a file whose name is that of another download', async () => {
  // Long names turn a small folder into a sharded one, ordered by hash: the longer name may come first.
  const stem = 'n'.repeat(220)
  const entries = Array.from({ length: 1100 }, (_none, i) => ({
    path: `${stem}${i >> 1}${i % 2 === 0 ? '' : '.part'}`,
    content: String(i),
  }))
  const { cid } = await uploadFolder(client, entries)
  const target = join(folder, 'parts')
  expect(await downloadFile(client, cid, target)).toMatchObject({ files: 1100 })
  expect(readdirSync(target).length).toBe(1100)
  for (const { path, content } of entries) expect(readFileSync(join(target, path), 'utf8')).toBe(content)
})

test('a file that claims to be larger than any memory is rejected for what it is', async () => {
  const leaf = new TextEncoder().encode('small')
  const leafCid = CID.createV1(0x55, await sha256.digest(leaf))
  // 2^49 as a varint.
  const claimed = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]
  const data = [0x08, 0x02, 0x18, ...claimed, 0x20, ...claimed]
  const link = [0x0a, leafCid.bytes.length, ...leafCid.bytes, 0x12, 0, 0x18, leaf.length]
  const node = Uint8Array.from([0x12, link.length, ...link, 0x0a, data.length, ...data])
  const root = CID.createV1(0x70, await sha256.digest(node))
  await using liar = await gatewayOf((_url, response) => {
    const blocks = [encodeCarFrame(root, node.length), node, encodeCarFrame(leafCid, leaf.length), leaf]
    response.end(Buffer.concat([encodeCarHeader([root]), ...blocks]))
  })
  await expect(downloadBytes(liar, `${root}`)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' })
  const target = join(folder, 'claimed')
  await expect(downloadFile(liar, `${root}`, target)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' })
  expect(existsSync(target)).toBe(false)
})

test('rejects with a code a DAG with an invalid node, or one of a codec whose links are unknown', async () => {
  const damaged = Uint8Array.from([0xff, 0xff, 0xff])
  for (const [codec, code] of [
    [0x70, 'VERIFICATION_FAILED'],
    [0x7b, 'UNSUPPORTED_CODEC'],
  ] as const) {
    const root = CID.createV1(codec, await sha256.digest(damaged))
    await using liar = await gatewayOf((_url, response) => {
      response.end(Buffer.concat([encodeCarHeader([root]), encodeCarFrame(root, damaged.length), damaged]))
    })
    await expect(Array.fromAsync(downloadCar(liar, `${root}`))).rejects.toMatchObject({ name: 'CairnError', code })
  }
})

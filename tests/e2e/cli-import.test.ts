// Moving in: content of another network, of CARs and of buckets is imported by the command line with the same CIDs.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  type Client,
  decryptBytes,
  downloadBytes,
  downloadCar,
  getConditions,
  listFiles,
  listKeyFiles,
  uploadBytes,
  uploadEncryptedBytes,
  uploadFolder,
} from '@cairn/sdk'
import { CarReader, CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openExamples } from '../docs/run-example.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

let source: TestNetwork
let target: TestNetwork
let there: Client & { privateKey: string }
let folder = ''
let number = 0

const large = new Uint8Array(randomBytes(3_000_000))
const cids = { small: '', large: '', folder: '', secret: '' }
const absent = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-import-'))
  ;[source, target] = await Promise.all([
    createTestNetwork({ CAIRN_S3_API_PORT: '0' }, 'local'),
    createTestNetwork({}, 'local'),
  ])
  there = await createKeyClient(source)
  cids.small = (await uploadBytes(there, randomBytes(900), { name: 'small.bin' })).cid
  cids.large = (await uploadBytes(there, large, { name: 'film.mp4', cidVersion: 0 })).cid
  const files = [1, 2, 3].map((i) => ({ path: `a/${i}.txt`, content: `file ${i}` }))
  cids.folder = (await uploadFolder(there, files, { name: 'folder' })).cid
  cids.secret = (await uploadEncryptedBytes(there, randomBytes(5000), { name: 'secret' })).cid
})
afterAll(async () => {
  await source?.[Symbol.asyncDispose]()
  await target?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs `cairn import` for the account of a client, by default a new account of the target. */
async function runImport(args: string[], options: Partial<Parameters<typeof runCli>[1]> = {}, account?: Client) {
  const client = account ?? (await createKeyClient(target))
  const state = join(folder, `state-${number++}.jsonl`)
  const run = await runCli(['import', ...args, '--json', ...(args.includes('--state') ? [] : ['--state', state])], {
    cwd: folder,
    ...options,
    env: {
      CAIRN_NETWORK: join(target.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, 'config'),
      CAIRN_API_KEY: client.apiKey ?? '',
      ...options.env,
    },
  })
  const rows: Row[] = run.out
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  return { ...run, client, state, items: rows.filter(({ id }) => id !== undefined), summary: rows.at(-1) }
}
type Row = { id?: string; status?: string; cid?: string; name?: string; bytes?: number; error?: { code: string } }

async function list(client: Client) {
  const files = await Array.fromAsync(listFiles(client))
  return files.map(({ cid, fileName, encryption }) => [cid, fileName, encryption]).sort()
}

/** A gateway of the source network that can be cut, refuse or lie, and remembers what was requested. */
async function openGateway(
  change: {
    /** Ends each CAR after this many bytes, and has no other content from then on. */
    cutAfterBytes?: number
    refusesCars?: boolean
    flipsBytes?: boolean
    onRequest?: () => void
  } = {},
) {
  const requests: string[] = []
  let sentBytes = 0
  let isCut = false
  const server: Server = createServer((request, response) => {
    const { url = '' } = request
    requests.push(url)
    change.onRequest?.()
    const isCar = url.includes('format=car')
    if (isCut || (isCar && change.refusesCars === true)) {
      response.writeHead(isCut ? 404 : 406).end()
      return
    }
    fetch(`${source.profile.gateway}${url}`, { headers: { accept: request.headers.accept ?? '' } })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        async function* body() {
          for await (const piece of answer.body ?? []) {
            const bytes = Buffer.from(piece)
            if (change.flipsBytes === true) bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
            const left = (change.cutAfterBytes ?? Number.POSITIVE_INFINITY) - sentBytes
            sentBytes += Math.min(left, bytes.length)
            if (left < bytes.length) {
              isCut = true
              yield bytes.subarray(0, left)
              throw new Error('cut')
            }
            yield bytes
          }
        }
        await pipeline(Readable.from(body()), response)
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get sentBytes() {
      return sentBytes
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

describe('a list of CIDs', () => {
  test('is fetched from a gateway, verified, and listed here by the same CIDs; what is absent is reported', async () => {
    await using gateway = await openGateway()
    const rows = [
      'cid,name,encrypted',
      `${cids.small},small.bin,false`,
      `${cids.small},"twice, again",`,
      `${cids.large},film.mp4,`,
      `${cids.folder},folder,`,
      `${cids.secret},secret,true`,
      `${absent},absent,`,
      'nonsense,,',
    ]
    writeFileSync(join(folder, 'list.csv'), rows.join('\n'))
    const first = await runImport(['cids', 'list.csv', '--gateway', gateway.url, '--state', 'list.jsonl'])
    expect([first.code, first.summary]).toEqual([
      8,
      expect.objectContaining({ items: 7, uploaded: 4, present: 1, missing: 2 }),
    ])
    expect(first.items.flatMap(({ error }) => error?.code ?? []).sort()).toEqual(['BLOCK_NOT_FOUND', 'INVALID_CID'])
    expect(await list(first.client)).toEqual(
      [
        [cids.small, 'small.bin', false],
        [cids.small, 'twice, again', false],
        [cids.large, 'film.mp4', false],
        [cids.folder, 'folder', false],
        [cids.secret, 'secret', true],
      ].sort(),
    )
    expect(await downloadBytes(first.client, cids.large)).toEqual(large)
    expect(readdirSync(folder).filter((name) => name.endsWith('.blocks'))).toEqual(['list.jsonl.blocks'])

    // Only what is missing is requested again.
    gateway.requests.length = 0
    const args = ['cids', 'list.csv', '--gateway', gateway.url, '--state', 'list.jsonl']
    const again = await runImport(args, {}, first.client)
    expect([again.code, again.summary]).toEqual([
      8,
      expect.objectContaining({ uploaded: 0, present: 5, missing: 2, bytes: 0 }),
    ])
    expect(gateway.requests.every((url) => url.includes(absent))).toBe(true)
  })

  test('resumes within a file: no block is fetched twice', async () => {
    const client = await createKeyClient(target)
    const input = `${cids.large}\n`
    let firstBytes = 0
    {
      await using gateway = await openGateway({ cutAfterBytes: 1_200_000 })
      const cut = await runImport(['cids', '-', '--gateway', gateway.url, '--state', 'cut.jsonl'], { input }, client)
      expect(cut.code).toBe(8)
      expect(await list(client)).toEqual([])
      firstBytes = gateway.sentBytes
    }
    await using gateway = await openGateway()
    const rest = await runImport(['cids', '-', '--gateway', gateway.url, '--state', 'cut.jsonl'], { input }, client)
    expect(rest.code).toBe(0)
    expect(firstBytes + gateway.sentBytes).toBeLessThan(large.length + 2 * 262_144)
    expect(await downloadBytes(client, cids.large)).toEqual(large)
    expect(readdirSync(folder)).not.toContain('cut.jsonl.blocks')
  })

  test('a gateway that lies stores nothing; one without CARs, and a second one, help', async () => {
    await using liar = await openGateway({ flipsBytes: true })
    const input = `${cids.folder}\n${cids.small}\n`
    const lied = await runImport(['cids', '-', '--gateway', liar.url], { input })
    expect([lied.code, lied.items.map(({ error }) => error?.code)]).toEqual([
      8,
      ['BLOCK_HASH_MISMATCH', 'BLOCK_HASH_MISMATCH'],
    ])
    expect(await list(lied.client)).toEqual([])
    await using plain = await openGateway({ refusesCars: true })
    const helped = await runImport(['cids', '-', '--gateway', liar.url, '--gateway', plain.url], { input })
    expect([helped.code, helped.summary]).toEqual([0, expect.objectContaining({ uploaded: 2, missing: 0 })])
  })

  test('a dry run lists sizes, and imports nothing', async () => {
    await using gateway = await openGateway()
    const input = `${cids.large}\n${cids.folder}\n${absent}\n`
    const dry = await runImport(['cids', '-', '--gateway', gateway.url, '--dry-run'], { input })
    expect([dry.code, dry.summary]).toEqual([8, expect.objectContaining({ items: 3, uploaded: 0, missing: 1 })])
    const size = dry.items.find(({ cid }) => cid === cids.large)?.bytes ?? 0
    expect(size).toBeGreaterThan(large.length)
    expect(size).toBeLessThan(large.length * 1.01)
    expect(await list(dry.client)).toEqual([])
    expect(gateway.requests.every((url) => url.includes('format=raw'))).toBe(true)
  })

  test('an interrupt ends it with 130, and the next run continues', async () => {
    const client = await createKeyClient(target)
    const input = `${cids.small}\n${cids.large}\n`
    let interrupt = (): void => undefined
    await using gateway = await openGateway({ onRequest: () => interrupt() })
    const args = ['cids', '-', '--gateway', gateway.url, '--parallel', '1', '--state', 'stop.jsonl']
    const stopped = await runImport(
      args,
      {
        input,
        started(child) {
          interrupt = () => {
            if (gateway.requests.length === 2) child.kill('SIGINT')
          }
        },
      },
      client,
    )
    expect(stopped.code).toBe(130)
    expect(await list(client)).toEqual([[cids.small, 'small.bin', false]].map(([cid]) => [cid, cid, false]))
    const rest = await runImport(args, { input }, client)
    expect([rest.code, rest.summary]).toEqual([0, expect.objectContaining({ uploaded: 1, present: 1 })])
  })

  test('without a gateway it says what it needs', async () => {
    const { code, err } = await runImport(['cids', '-'], { input: '' })
    expect([code, JSON.parse(err).error.message]).toEqual([2, 'This import requires --gateway'])
  })
})

/** Writes blocks of a CAR into several, of which only the last names the root. */
async function writeShards(path: string, cid: string, shards: number): Promise<void> {
  const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cid)))
  const blocks = await Array.fromAsync((await CarReader.fromBytes(bytes)).blocks())
  const size = Math.ceil(blocks.length / shards)
  for (let i = 0; i < shards; i++) {
    const { writer, out } = CarWriter.create(i === shards - 1 ? [CID.parse(cid)] : [])
    const written = Array.fromAsync(out)
    // The root comes last, as from an upload in one pass.
    for (const block of blocks.toReversed().slice(i * size, (i + 1) * size)) await writer.put(block)
    await writer.close()
    writeFileSync(join(path, `shard-${i}.car`), Buffer.concat(await written))
  }
}

describe('CARs', () => {
  test('every root is kept, also of uploads that are spread over several CARs; what is damaged is named', async () => {
    const cars = join(folder, 'cars')
    mkdirSync(join(cars, 'deep'), { recursive: true })
    await writeShards(cars, cids.large, 3)
    const two = CarWriter.create([CID.parse(cids.small), CID.parse(cids.folder)])
    const written = Array.fromAsync(two.out)
    for (const cid of [cids.small, cids.folder]) {
      const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cid)))
      for await (const block of (await CarReader.fromBytes(bytes)).blocks()) await two.writer.put(block)
    }
    await two.writer.close()
    writeFileSync(join(cars, 'deep', 'two.car'), Buffer.concat(await written))
    const whole = Buffer.concat(await Array.fromAsync(downloadCar(there, cids.secret)))
    writeFileSync(join(cars, 'secret.car'), whole)

    const { code, summary, client } = await runImport(['cars', 'cars'])
    expect([code, summary]).toEqual([0, expect.objectContaining({ items: 4, uploaded: 4, missing: 0 })])
    expect(await list(client)).toEqual(
      [
        [cids.large, 'shard-2', false],
        [cids.small, cids.small, false],
        [cids.folder, cids.folder, false],
        [cids.secret, 'secret', false],
      ].sort(),
    )
    expect(await downloadBytes(client, cids.large)).toEqual(large)

    // The blocks before the damage count, and the root without all its blocks is not kept.
    const bytes = readFileSync(join(cars, 'shard-0.car'))
    writeFileSync(join(cars, 'shard-0.car'), bytes.subarray(0, bytes.length - 10))
    whole[whole.length - 1] = (whole.at(-1) ?? 0) ^ 1
    writeFileSync(join(cars, 'secret.car'), whole)
    const damaged = await runImport(['cars', 'cars'])
    expect([damaged.code, damaged.summary]).toEqual([8, expect.objectContaining({ uploaded: 2, missing: 3 })])
    expect(damaged.items.map(({ id, error }) => [id, error?.code]).filter(([, why]) => why !== undefined)).toEqual(
      expect.arrayContaining([
        [join('cars', 'shard-0.car'), 'INVALID_CAR'],
        [cids.large, 'BLOCK_NOT_FOUND'],
        [cids.secret, 'BLOCK_HASH_MISMATCH'],
      ]),
    )
    expect((await list(damaged.client)).map(([cid]) => cid)).toEqual([cids.small, cids.folder].sort())
  })

  test('roots that no CAR names come from a list, with names and the flag of encrypted content', async () => {
    const cars = join(folder, 'rootless')
    mkdirSync(cars)
    await writeShards(cars, cids.large, 2)
    rmSync(join(cars, 'shard-1.car'))
    const { writer, out } = CarWriter.create([])
    const written = Array.fromAsync(out)
    const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cids.secret)))
    for await (const block of (await CarReader.fromBytes(bytes)).blocks()) await writer.put(block)
    await writer.close()
    writeFileSync(join(cars, 'rest.car'), Buffer.concat(await written))
    writeFileSync(join(folder, 'roots.csv'), `cid,name,encrypted\n${cids.secret},diary,true\n`)
    const lost = await runImport(['cars', 'rootless'])
    expect([lost.code, JSON.parse(lost.err).error.message]).toEqual([2, 'No CAR names a root'])
    const args = ['cars', 'rootless', '--roots', 'roots.csv']
    const dry = await runImport([...args, '--dry-run'])
    expect([dry.code, dry.items]).toEqual([0, [expect.objectContaining({ status: 'listed', cid: cids.secret })]])
    const { code, client } = await runImport(args)
    expect([code, await list(client)]).toEqual([0, [[cids.secret, 'diary', true]]])
  })

  test('an export in the layout of Storacha: shards without roots, and the list of uploads beside them', async () => {
    const path = join(folder, 'storacha')
    mkdirSync(join(path, 'shards'), { recursive: true })
    const roots = [cids.large, cids.folder, cids.small]
    // Shards are filled in the order of the blocks, so that they end within an upload.
    const blocks: { cid: CID; bytes: Uint8Array }[] = []
    for (const cid of roots) {
      const bytes = Buffer.concat(await Array.fromAsync(downloadCar(there, cid)))
      blocks.push(...(await Array.fromAsync((await CarReader.fromBytes(bytes)).blocks())).toReversed())
    }
    for (let i = 0; i < blocks.length; i += 5) {
      const { writer, out } = CarWriter.create([])
      const written = Array.fromAsync(out)
      for (const block of blocks.slice(i, i + 5)) await writer.put(block)
      await writer.close()
      writeFileSync(join(path, 'shards', `bagbaiera${i}.car`), Buffer.concat(await written))
    }
    const lines = roots.map((root) => JSON.stringify({ root: { '/': root }, shards: [{ '/': 'bagbaiera0' }] }))
    writeFileSync(join(path, 'uploads.json'), lines.join('\n'))
    const { code, summary, client, err } = await runImport(['cars', 'storacha'])
    expect([code, summary]).toEqual([0, expect.objectContaining({ items: 3, uploaded: 3, missing: 0 })])
    expect(err).not.toContain('error')
    expect(await list(client)).toEqual(roots.map((cid) => [cid, cid, false]).sort())
    expect(await downloadBytes(client, cids.large)).toEqual(large)
  })
})

describe('an S3 bucket', () => {
  const texts = {
    'docs/a/readme.md': '# readme',
    'docs/b/readme.md': '# other',
    'docs/empty.txt': '',
    'top.txt': 'top',
  }
  let env: Record<string, string> = {}

  beforeAll(async () => {
    const { endpoint = '', region = '', accessKeyId = '', secretAccessKey = '' } = source.profile.s3 ?? {}
    env = {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    }
    const client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
    })
    await client.send(new CreateBucketCommand({ Bucket: 'moving' }))
    const put = (key: string, body: string | Uint8Array, type: string) =>
      client.send(new PutObjectCommand({ Bucket: 'moving', Key: key, Body: Buffer.from(body), ContentType: type }))
    for (const [key, text] of Object.entries(texts)) await put(key, text, 'text/x-moved')
    await put('docs/film.mp4', large, 'video/mp4')
    await put('docs/folder/', '', 'application/x-directory')
    client.destroy()
  })

  test('each object becomes a file with its key as the name, its type, and the CID of the bucket', async () => {
    const dry = await runImport(['s3://moving/docs/', '--dry-run'], { env })
    const bytes = large.length + texts['docs/a/readme.md'].length + texts['docs/b/readme.md'].length
    expect([dry.code, dry.summary]).toEqual([0, expect.objectContaining({ items: 4, bytes, unknownSizes: 0 })])

    const args = ['s3://moving/docs/', '--state', 'moving.jsonl']
    const { code, summary, client } = await runImport(args, { env })
    expect([code, summary]).toEqual([0, expect.objectContaining({ items: 4, uploaded: 4, bytes, missing: 0 })])
    const files = await Array.fromAsync(listFiles(client))
    expect(files.map(({ fileName, mimeType }) => [fileName, mimeType]).sort()).toEqual([
      ['docs/a/readme.md', 'text/x-moved'],
      ['docs/b/readme.md', 'text/x-moved'],
      ['docs/empty.txt', 'text/x-moved'],
      ['docs/film.mp4', 'video/mp4'],
    ])
    const film = files.find(({ fileName }) => fileName === 'docs/film.mp4')?.cid ?? ''
    expect(await downloadBytes(client, film)).toEqual(large)

    const again = await runImport(args, { env }, client)
    expect([again.code, again.summary]).toEqual([0, expect.objectContaining({ uploaded: 0, present: 4, bytes: 0 })])
    // Without the state file, the CID that the bucket states is enough.
    const fresh = await runImport(['s3://moving/docs/'], { env }, client)
    expect([fresh.code, fresh.summary]).toEqual([0, expect.objectContaining({ uploaded: 0, present: 4, bytes: 0 })])
    expect(await Array.fromAsync(listFiles(client))).toHaveLength(4)
  })

  test('wrong credentials and a missing bucket are named', async () => {
    const wrong = await runImport(['s3://moving'], { env: { ...env, AWS_SECRET_ACCESS_KEY: 'x' } })
    expect([wrong.code, JSON.parse(wrong.err).error.code]).toEqual([4, 'UNAUTHENTICATED'])
    const missing = await runImport(['s3://no-such-bucket'], { env })
    expect([missing.code, JSON.parse(missing.err).error.code]).toEqual([3, 'NOT_FOUND'])
  })
})

/** A server that ends with its block. */
async function listen(handle: RequestListener) {
  const server = createServer(handle)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

/** The API of the source network with small pages. */
function openSmallPages(requests: string[]) {
  return listen((request, response) => {
    const url = new URL(request.url ?? '', source.profile.api)
    requests.push(`${url.pathname}${url.search}`)
    url.searchParams.set('limit', '2')
    fetch(url, { headers: { authorization: request.headers.authorization ?? '' } })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
      })
      .catch(() => response.destroy())
  })
}

describe('services that list CIDs', () => {
  test('Lighthouse: all pages, with names and types; encrypted files open here when the owner signs', async () => {
    const privateKey = generatePrivateKey()
    const owner = await createKeyClient(source, privateKey)
    const friend = `0x${'56'.repeat(20)}`
    const secret = new Uint8Array(randomBytes(40_000))
    for (let i = 0; i < 4; i++)
      await uploadBytes(owner, randomBytes(300 + i), { name: `${i}.txt`, mimeType: 'text/x-moved' })
    const { cid } = await uploadEncryptedBytes(owner, secret, { name: 'diary', shareTo: [friend] })
    const condition = (id: number, comparator: string, value: string) => ({
      id,
      chain: 'local',
      method: 'getBlockNumber',
      standardContractType: '',
      returnValueTest: { comparator, value },
    })
    const conditions = [condition(1, '>=', '0'), condition(2, '<', '99999999999')]
    const conditional = await uploadEncryptedBytes(owner, randomBytes(900), {
      name: 'later',
      conditions: { conditions, aggregator: '([1] and [2])' },
    })

    const mover = await createKeyClient(target, privateKey)
    const config = join(folder, 'mover')
    writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
    writeFileSync(join(folder, 'wallet.key'), owner.privateKey, { mode: 0o600 })
    writeFileSync(join(folder, 'lighthouse.key'), `${owner.apiKey}\n`)
    const env = { CAIRN_CONFIG_HOME: config, CAIRN_PASSWORD_FILE: join(folder, 'password') }
    const imported = await runCli(['wallet', 'import', 'wallet.key'], {
      cwd: folder,
      env: { ...env, CAIRN_NETWORK: join(target.home, 'network.json') },
    })
    expect(imported).toMatchObject({ code: 0 })

    const requests: string[] = []
    await using api = await openSmallPages(requests)
    const args = [
      ...['lighthouse', '--source', api.url, '--gateway', source.profile.gateway],
      ...['--source-key-file', 'lighthouse.key', '--state', 'lighthouse.jsonl'],
    ]
    const dry = await runImport([...args, '--dry-run'], { env }, mover)
    expect([dry.code, dry.summary]).toEqual([0, expect.objectContaining({ items: 6, unknownSizes: 0 })])

    const first = await runImport(args, { env }, mover)
    expect([first.code, first.summary]).toEqual([0, expect.objectContaining({ items: 6, uploaded: 6 })])
    expect(requests.every((url) => url.startsWith('/api/user/files_uploaded?lastKey='))).toBe(true)
    expect(requests.length).toBeGreaterThanOrEqual(6)
    expect(await list(mover)).toEqual(await list(owner))
    const types = await Array.fromAsync(listFiles(mover), ({ mimeType }) => mimeType)
    expect(types.filter((type) => type === 'text/x-moved')).toHaveLength(4)
    await expect(decryptBytes(mover, cid)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })

    const keys = ['--wallet', '--source-keys', source.profile.keyRouter ?? '']
    const second = await runImport([...args, ...keys], { env }, mover)
    expect([second.code, second.summary]).toEqual([0, expect.objectContaining({ items: 6, uploaded: 0, present: 6 })])
    expect(await decryptBytes(mover, cid)).toEqual(secret)
    const owned = await Array.fromAsync(listKeyFiles(mover, 'owner'))
    const rights = owned.map((file) => [file.cid, file.sharedTo, file.hasConditions])
    expect(rights.sort()).toEqual([[cid, [friend], false] as const, [conditional.cid, [], true] as const].toSorted())
    const moved = await getConditions(mover, conditional.cid)
    expect(moved).toEqual(await getConditions(owner, conditional.cid))
    expect(moved).toMatchObject({ conditions, aggregator: '([1] and [2])' })
    // The conditions decide here as they did there: a stranger who meets them opens the file, and not the shared one.
    const visitor = await createKeyClient(target)
    expect(await decryptBytes(visitor, conditional.cid)).toHaveLength(900)
    await expect(decryptBytes(visitor, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })

    // Another wallet cannot take the key, so its account does not list the file.
    const stranger = await createKeyClient(target)
    const strange = { ...env, CAIRN_CONFIG_HOME: join(folder, 'stranger') }
    writeFileSync(join(folder, 'stranger.key'), stranger.privateKey, { mode: 0o600 })
    const options = { cwd: folder, env: { ...strange, CAIRN_NETWORK: join(target.home, 'network.json') } }
    expect(await runCli(['wallet', 'import', 'stranger.key'], options)).toMatchObject({ code: 0 })
    const asStranger = await runImport([...args.slice(0, -2), ...keys], { env: strange }, stranger)
    expect([asStranger.code, asStranger.summary]).toEqual([8, expect.objectContaining({ uploaded: 4, missing: 2 })])
    expect(asStranger.items.find((item) => item.cid === cid)).toMatchObject({
      error: { code: 'ACCESS_DENIED' },
    })
    expect((await list(stranger)).map(([, name]) => name)).not.toContain('diary')

    writeFileSync(join(folder, 'wrong.key'), 'nonsense')
    const wrong = ['lighthouse', '--source', api.url, '--gateway', api.url, '--source-key-file', 'wrong.key']
    expect(JSON.parse((await runImport(wrong)).err).error.code).toBe('UNAUTHENTICATED')
  })

  test('the Pinning Service API: all pages of pins', async () => {
    const owner = await createKeyClient(source)
    for (const [name, cid] of [
      ['film.mp4', cids.large],
      ['folder', cids.folder],
      ['small', cids.small],
    ]) {
      const answer = await fetch(`${source.profile.api}/pins`, {
        method: 'POST',
        headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ cid, name }),
      })
      expect(await answer.json()).toMatchObject({ status: 'pinned' })
    }
    const requests: string[] = []
    await using api = await openSmallPages(requests)
    const args = ['pins', '--source', api.url, '--gateway', source.profile.gateway]
    const { code, summary, client } = await runImport(args, { env: { PINNING_SERVICE_TOKEN: owner.apiKey ?? '' } })
    expect([code, summary]).toEqual([0, expect.objectContaining({ items: 3, uploaded: 3 })])
    expect(requests).toHaveLength(2)
    expect(await list(client)).toEqual(
      [
        [cids.large, 'film.mp4', false],
        [cids.folder, 'folder', false],
        [cids.small, 'small', false],
      ].sort(),
    )
  })

  test('Pinata: all pages, in the documented form', async () => {
    const file = (cid: string, name: string | null) => ({
      id: `id-${cid}`,
      name,
      cid,
      size: 900,
      number_of_files: 1,
      mime_type: 'text/x-moved',
      group_id: null,
      created_at: '2024-08-27T14:57:51.485934Z',
    })
    const pages: Record<string, unknown> = {
      '': { files: [file(cids.small, 'from pinata')], next_page_token: 'next' },
      next: { files: [file(cids.folder, null), file('pending', 'x')], next_page_token: null },
    }
    await using api = await listen((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://pinata')
      const isRight = pathname === '/v3/files/public' && request.headers.authorization === 'Bearer jwt'
      const data = pages[searchParams.get('pageToken') ?? '']
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
    })
    const args = ['pinata', '--source', api.url, '--gateway', source.profile.gateway]
    const { code, summary, items, client } = await runImport(args, { env: { PINATA_JWT: 'jwt' } })
    expect([code, summary]).toEqual([8, expect.objectContaining({ items: 3, uploaded: 2, missing: 1 })])
    expect(items.find(({ error }) => error !== undefined)).toMatchObject({ name: 'x', error: { code: 'INVALID_CID' } })
    expect(await list(client)).toEqual(
      [
        [cids.small, 'from pinata', false],
        [cids.folder, cids.folder, false],
      ].sort(),
    )
  })
})

test('the examples of the page run as printed, but for the addresses of the other services', async () => {
  const owner = await createKeyClient(source)
  const { cid } = await uploadBytes(owner, randomBytes(700), { name: 'photo.jpg' })
  const created = await fetch(`${source.profile.api}/pins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cid: cids.small, name: 'pinned' }),
  })
  expect(created.status).toBe(202)
  const { endpoint = '', accessKeyId = '', secretAccessKey = '' } = source.profile.s3 ?? {}
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/how-to/import.md'), 'utf8')
    .replaceAll('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy', cid)
    .replaceAll('https://ipfs.io', source.profile.gateway)
    .replaceAll('https://s3.example.com', endpoint)
    .replace('AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${accessKeyId}`)
    .replace('AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`)
    .replaceAll('s3://pictures/2024/', 's3://moving/docs/')
    .replaceAll('https://api.example.com', source.profile.api)
    .replaceAll(
      'import lighthouse ',
      `import lighthouse --source ${source.profile.api} --source-keys ${source.profile.keyRouter} --gateway ${source.profile.gateway} `,
    )
  using examples = openExamples(page, target)
  writeFileSync(join(examples.path, 'lighthouse.key'), owner.apiKey ?? '')
  writeFileSync(join(examples.path, 'pinning.key'), owner.apiKey ?? '')
  expect(await examples.run('import cids list.csv')).toContain('1 items  1 uploaded')
  expect(await examples.run('import s3://')).toContain('4 items  4 uploaded')
  expect(await examples.run('import lighthouse')).toContain('2 items  1 uploaded')
  expect(await examples.run('import pins')).toContain('1 items  0 uploaded')
  mkdirSync(join(examples.path, 'storacha-export'))
  await writeShards(join(examples.path, 'storacha-export'), cids.folder, 1)
  writeFileSync(join(examples.path, 'roots.csv'), `${cids.folder},holiday\n`)
  expect(await examples.run('import cars storacha-export')).toContain('1 items  1 uploaded')
})

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { type Client, downloadCar, listFiles, uploadBytes, uploadEncryptedBytes, uploadFolder } from '@cairn/sdk'
import { CarReader, CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { type CliRun, type CliRunOptions, runCli } from '../run-cli.ts'

/** Two networks: `cairn import` brings content of the first into accounts of the second. */
export type ImportNetworks = AsyncDisposable & {
  readonly source: TestNetwork
  readonly target: TestNetwork
  /** The account that stored the content at the source. */
  readonly there: Client
  readonly cids: Readonly<Record<'small' | 'large' | 'folder' | 'secret', string>>
  /** The bytes of `cids.large`. */
  readonly large: Uint8Array
  /** The working directory of the runs. */
  readonly folder: string
  /** Runs `cairn import` for the account of a client, by default a new account of the target. */
  runImport(args: string[], options?: Partial<CliRunOptions>, account?: Client): Promise<ImportRun>
}

type ImportRun = CliRun & { client: Client; items: Row[]; summary: Row | undefined }
type Row = { id?: string; status?: string; cid?: string; name?: string; bytes?: number; error?: { code: string } }

export async function startImportNetworks({
  environment = {},
  chain = 'none',
}: {
  /** Settings of the source. */
  environment?: Record<string, string>
  chain?: 'local' | 'none'
} = {}): Promise<ImportNetworks> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-import-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const source = stack.use(await createTestNetwork(environment, chain))
  const target = stack.use(await createTestNetwork({}, chain))
  const there = await createKeyClient(source)
  const large = new Uint8Array(randomBytes(3_000_000))
  const files = [1, 2, 3].map((i) => ({ path: `a/${i}.txt`, content: `file ${i}` }))
  const cids = {
    small: (await uploadBytes(there, randomBytes(900), { name: 'small.bin' })).cid,
    large: (await uploadBytes(there, large, { name: 'film.mp4', cidVersion: 0 })).cid,
    folder: (await uploadFolder(there, files, { name: 'folder' })).cid,
    secret: (await uploadEncryptedBytes(there, randomBytes(5000), { name: 'secret' })).cid,
  }
  let number = 0
  const owned = stack.move()
  return {
    source,
    target,
    there,
    cids,
    large,
    folder,
    async runImport(args, options = {}, account) {
      const client = account ?? (await createKeyClient(target))
      const state = args.includes('--state') ? [] : ['--state', join(folder, `state-${number++}.jsonl`)]
      const run = await runCli(['import', ...args, '--json', ...state], {
        cwd: folder,
        ...options,
        env: {
          CAIRN_NETWORK: join(target.home, 'network.json'),
          CAIRN_CONFIG_HOME: join(folder, 'config'),
          CAIRN_API_KEY: client.apiKey ?? '',
          ...options.env,
        },
      })
      const lines = run.out.trim().split('\n')
      const rows: Row[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line))
      return { ...run, client, items: rows.filter(({ id }) => id !== undefined), summary: rows.at(-1) }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** CID, name and whether it is encrypted, of each file of an account. */
export async function listImported(client: Client) {
  const files = await Array.fromAsync(listFiles(client))
  return files.map(({ cid, fileName, encryption }) => [cid, fileName, encryption]).sort()
}

/** Writes the blocks of a CAR into several, of which only the last lists the root. */
export async function writeShards(client: Client, cid: string, path: string, shards: number): Promise<void> {
  const bytes = Buffer.concat(await Array.fromAsync(downloadCar(client, cid)))
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

/** Creates a bucket at a network with the S3 API, and stores objects in it. */
export async function createBucket(
  { profile }: TestNetwork,
  bucket: string,
  objects: readonly (readonly [key: string, body: string | Uint8Array, type: string])[],
): Promise<void> {
  const { endpoint = '', region = '', accessKeyId = '', secretAccessKey = '' } = profile.s3 ?? {}
  const client = new S3Client({ endpoint, region, credentials: { accessKeyId, secretAccessKey }, forcePathStyle: true })
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    for (const [key, body, type] of objects)
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: Buffer.from(body), ContentType: type }))
  } finally {
    client.destroy()
  }
}

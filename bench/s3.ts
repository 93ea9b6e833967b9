import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { createClient, createS3Credentials, loadNetwork } from '@cairn/sdk'
import { isInstalled, seaweedfs } from '../tests/interop/binaries.ts'
import { startSeaweedfs } from '../tests/interop/s3-gateway.ts'
import { settleMachine } from './machine.ts'
import { makeFile } from './material.ts'
import { runProgram, timed } from './program.ts'
import { type Bench, type BenchOptions, type Row, speedRow } from './report.ts'
import { startDeployed } from './storage-service.ts'

const smallCount = 1000
const smallBytes = 4096
/** Requests at the same time. */
const parallel = 16
const listings = 20

type Server = { url: string; accessKeyId: string; secretAccessKey: string }
/** Times of one round, in ms. */
type Round = { putLarge: number; getLarge: number; putSmall: number; getSmall: number; list: number }

/** Sends or reads one object with curl, so that no client hashes the body. */
async function curl({ url, accessKeyId, secretAccessKey }: Server, path: string, args: string[]): Promise<number> {
  const signed = ['--aws-sigv4', 'aws:amz:us-east-1:s3', '--user', `${accessKeyId}:${secretAccessKey}`]
  const quiet = ['--fail', '--silent', '--show-error', '--output', '/dev/null']
  const unsigned = ['-H', 'x-amz-content-sha256: UNSIGNED-PAYLOAD']
  return (await runProgram('curl', [...quiet, ...signed, ...unsigned, ...args, `${url}/${path}`])).wallMs
}

/** Runs a task for each item, some at the same time. */
async function each<Item>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  const rest = items.entries()
  const worker = async () => {
    for (const [index, item] of rest) await task(item, index)
  }
  await Promise.all(Array.from({ length: parallel }, worker))
}

/** Measures one round on a new bucket. */
async function measure(server: Server, large: string): Promise<Round> {
  const { url, accessKeyId, secretAccessKey } = server
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials })
  const Bucket = `bench-${randomUUID()}`
  const bodies = Array.from({ length: smallCount }, () => randomBytes(smallBytes))
  const key = (index: number) => `small/${index}`
  try {
    await client.send(new CreateBucketCommand({ Bucket }))
    const path = `${Bucket}/large`
    return {
      putLarge: await curl(server, path, ['--upload-file', large]),
      getLarge: await curl(server, path, []),
      putSmall: await timed(() =>
        each(bodies, (Body, at) => client.send(new PutObjectCommand({ Bucket, Key: key(at), Body }))),
      ),
      getSmall: await timed(() =>
        each(bodies, async (_, at) => {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key(at) }))
          await Body?.transformToByteArray()
        }),
      ),
      list: await timed(async () => {
        for (let i = 0; i < listings; i++) {
          const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'small/' }))
          if (KeyCount !== smallCount) throw new Error(`the listing has ${KeyCount} objects`)
        }
      }),
    }
  } finally {
    client.destroy()
  }
}

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  if (!isInstalled(seaweedfs)) {
    console.log('SeaweedFS is not built: no comparison with it (npm run interop:install)')
    return []
  }
  await using storage = await startDeployed(join(scratch, 'ours'), { CAIRN_S3_API_PORT: '0' })
  const network = await loadNetwork(storage.api)
  const keys = await createS3Credentials(createClient({ network, apiKey: storage.apiKey }))
  await using weed = await startSeaweedfs(scratch)
  const sides = [
    { server: { url: keys.endpoint, ...keys }, rounds: [] as Round[] },
    { server: weed, rounds: [] as Round[] },
  ] as const
  const large = join(scratch, 'large.bin')
  for (let round = 0; round <= runs; round++) {
    makeFile(large, largeBytes)
    for (const { server, rounds } of round % 2 === 0 ? sides : sides.toReversed()) {
      await settleMachine()
      const times = await measure(server, large)
      // The first round warms up.
      if (round > 0) rounds.push(times)
    }
  }
  const [{ rounds: ours }, { rounds: theirs }] = sides
  const row = (name: keyof Round, what: string, amount: number, unit: string) =>
    speedRow({
      what,
      oursMs: ours.map((round) => round[name]),
      against: 'SeaweedFS, which does not sync',
      theirsMs: theirs.map((round) => round[name]),
      minRatio: 1,
      amount,
      unit,
    })
  const largeMib = largeBytes / 2 ** 20
  const small = `${smallCount.toLocaleString('en')} objects of 4 KiB, ${parallel} at a time`
  return [
    row('putLarge', `put one object of ${largeMib} MiB (ours answers when it is durable)`, largeMib, 'MiB'),
    row('getLarge', `get it (ours checks every block’s hash)`, largeMib, 'MiB'),
    row('putSmall', `put ${small}`, smallCount, 'objects'),
    row('getSmall', `get ${small}`, smallCount, 'objects'),
    row('list', `list a page of ${smallCount.toLocaleString('en')}`, listings, 'pages'),
  ]
}

export const s3Bench: Bench = {
  name: 's3',
  about:
    'The S3 API of a deployed storage service compared with that of SeaweedFS, with curl (large object) and the AWS SDK (small objects, lists).',
  run,
}

// The command line imports the objects of an S3 bucket.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { downloadBytes, listFiles } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../listen.ts'
import { runCli } from '../run-cli.ts'
import { createBucket, type ImportNetworks, startImportNetworks } from './import-networks.ts'

const texts = {
  'docs/a/readme.md': '# readme',
  'docs/b/readme.md': '# other',
  'docs/empty.txt': '',
  'top.txt': 'top',
}
let networks: ImportNetworks
let env: Record<string, string> = {}
beforeAll(async () => {
  networks = await startImportNetworks({ environment: { CAIRN_S3_API_PORT: '0' } })
  const { source, large } = networks
  const { endpoint = '', region = '', accessKeyId = '', secretAccessKey = '' } = source.profile.s3 ?? {}
  env = {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  await createBucket(source, 'moving', [
    ...Object.entries(texts).map(([key, text]) => [key, text, 'text/x-moved'] as const),
    ['docs/film.mp4', large, 'video/mp4'],
    ['docs/folder/', '', 'application/x-directory'],
  ])
})
afterAll(() => networks?.[Symbol.asyncDispose]())

test('each object becomes a file with its key as the name, its type, and the CID of the bucket', async () => {
  const { large, runImport } = networks
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
  // Without the state file, the CID stated by the bucket is enough.
  const fresh = await runImport(['s3://moving/docs/'], { env }, client)
  expect([fresh.code, fresh.summary]).toEqual([0, expect.objectContaining({ uploaded: 0, present: 4, bytes: 0 })])
  expect(await Array.fromAsync(listFiles(client))).toHaveLength(4)
})

test('objects with the same content and the same last segment keep their keys', async () => {
  const { source, runImport } = networks
  const keys = Array.from({ length: 12 }, (_, at) => `packages/${at}/__init__.py`)
  await createBucket(
    source,
    'same',
    keys.map((key) => [key, '# empty', 'text/x-moved'] as const),
  )
  const args = ['s3://same', '--parallel', '8']
  const first = await runImport(args, { env })
  expect([first.code, first.summary]).toEqual([0, expect.objectContaining({ items: 12, uploaded: 12 })])
  const names = async () => (await Array.fromAsync(listFiles(first.client), ({ fileName }) => fileName)).sort()
  expect(await names()).toEqual(keys.toSorted())
  // Without the state file, each is found under its key.
  const again = await runImport(args, { env }, first.client)
  expect([again.code, again.summary]).toEqual([0, expect.objectContaining({ uploaded: 0, present: 12 })])
  expect(await names()).toEqual(keys.toSorted())
})

test('an object that arrives damaged is fetched again, and only its right bytes are stored', async () => {
  const content = 'the right bytes'
  const etag = `"${createHash('md5').update(content).digest('hex')}"`
  const entry = `<Key>a.txt</Key><ETag>${etag}</ETag><Size>${content.length}</Size>`
  let sent = 0
  await using bucket = await listen(({ url = '' }, response) => {
    if (url.includes('list-type=2')) {
      response.setHeader('content-type', 'application/xml')
      response.end(`<ListBucketResult><Contents>${entry}</Contents></ListBucketResult>`)
      return
    }
    response.setHeader('etag', etag)
    response.end(sent++ === 0 ? content.toUpperCase() : content)
  })
  const { code, summary, client } = await networks.runImport(['s3://any', '--endpoint', bucket.url], { env })
  expect([code, summary]).toEqual([0, expect.objectContaining({ uploaded: 1, missing: 0 })])
  expect(sent).toBe(2)
  const [file, ...others] = await Array.fromAsync(listFiles(client))
  expect([file?.fileName, others]).toEqual(['a.txt', []])
  expect(new TextDecoder().decode(await downloadBytes(client, file?.cid ?? ''))).toBe(content)
})

test('a dry run shows the keys of objects, whose CIDs are not known yet', async () => {
  const { source, folder } = networks
  const CAIRN_NETWORK = join(source.home, 'network.json')
  const { out, code } = await runCli(['import', 's3://moving/docs/a/', '--dry-run'], {
    cwd: folder,
    env: { ...env, CAIRN_NETWORK, CAIRN_CONFIG_HOME: join(folder, 'config') },
  })
  expect([code, out.split('\n')[0]]).toEqual([0, `–  ${texts['docs/a/readme.md'].length} B  docs/a/readme.md`])
})

test('reports wrong credentials and a missing bucket', async () => {
  const { runImport } = networks
  const wrong = await runImport(['s3://moving'], { env: { ...env, AWS_SECRET_ACCESS_KEY: 'x' } })
  expect([wrong.code, JSON.parse(wrong.err).error.code]).toEqual([4, 'UNAUTHENTICATED'])
  const missing = await runImport(['s3://no-such-bucket'], { env })
  expect([missing.code, JSON.parse(missing.err).error.code]).toEqual([3, 'NOT_FOUND'])
})

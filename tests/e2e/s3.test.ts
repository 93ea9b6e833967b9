// The S3 API of a whole network: keys of the profile, and keys created by the command line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-s3-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

type Keys = { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string }

async function withClient<T>(
  { endpoint, region, ...credentials }: Keys,
  use: (client: S3Client) => Promise<T>,
): Promise<T> {
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
  try {
    return await use(client)
  } finally {
    client.destroy()
  }
}

test('keys of the profile and of the command line reach the same buckets of the test wallet', async () => {
  const { s3 } = network.profile
  expect(Object.keys(s3 ?? {}).toSorted()).toEqual(['accessKeyId', 'endpoint', 'region', 'secretAccessKey'])
  await withClient(s3 as Keys, async (client) => {
    await client.send(new CreateBucketCommand({ Bucket: 'pictures' }))
    await client.send(new PutObjectCommand({ Bucket: 'pictures', Key: 'a', Body: 'content' }))
  })
  const options = { cwd: folder, env: { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: folder } }
  expect(await runCli(['api-key', 'new'], options)).toMatchObject({ code: 0 })
  const made = await runCli(['s3', 'credentials', '--bucket', 'pictures', '--read-only', '--json'], options)
  expect(made).toMatchObject({ code: 0 })
  await withClient(JSON.parse(made.out) as Keys, async (client) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'pictures', Key: 'a' }))
    expect(await Body?.transformToString()).toBe('content')
    const put = client.send(new PutObjectCommand({ Bucket: 'pictures', Key: 'b', Body: 'x' }))
    await expect(put).rejects.toMatchObject({ name: 'AccessDenied' })
  })
  // A shell can evaluate the output for people.
  const shown = await runCli(['s3', 'credentials'], options)
  const variables = shown.out
    .trim()
    .split('\n')
    .map((line) => /^export (AWS_\w+)=\S+$/.exec(line)?.[1])
  expect(variables).toEqual(['AWS_ENDPOINT_URL_S3', 'AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
  // The publicly readable profile contains no keys.
  const served = (await (await fetch(`${network.profile.api}/.well-known/cairn.json`)).json()) as { s3?: object }
  expect(Object.keys(served.s3 ?? {})).toEqual(['endpoint', 'region'])
})

test('the command line publishes a bucket under a name', async () => {
  const { s3, gateway } = network.profile
  const options = { cwd: folder, env: { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: folder } }
  await withClient(s3 as Keys, async (client) => {
    await client.send(new CreateBucketCommand({ Bucket: 'pages' }))
    await client.send(new PutObjectCommand({ Bucket: 'pages', Key: 'site/index.html', Body: 'a page' }))
  })
  const run = async (...args: string[]) => {
    const { code, out } = await runCli(['s3', ...args, '--json'], options)
    return { code, state: code === 0 ? JSON.parse(out) : undefined }
  }
  expect((await run('name', 'pages')).state).toMatchObject({ isPublished: false, name: null })
  const { state } = await run('publish', 'pages')
  expect(state).toMatchObject({ bucket: 'pages', isPublished: true, isCurrent: true })
  expect(await (await fetch(`${gateway}/ipns/${state.name}/site/index.html`)).text()).toBe('a page')
  expect((await run('unpublish', 'pages')).state).toMatchObject({ isPublished: false, name: state.name })
  expect((await run('publish')).code).toBe(2)
  expect((await run('publish', 'no-such-bucket')).code).not.toBe(0)
})

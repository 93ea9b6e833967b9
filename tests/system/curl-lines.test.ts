// The curl lines of the README and of the pages on names, upload links and signed links run as printed, on a local network.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { readRecord } from '@cairn/names'
import { createClient, createUploadLink, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { requireProgram } from './require-program.ts'

const root = resolve(import.meta.dirname, '../..')
let network: TestNetwork
let folder = ''
beforeAll(async () => {
  requireProgram('curl', 'curl')
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-curl-'))
})
afterAll(async () => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

/** Runs the first shell block of a page that uses curl, with the addresses of the test's network. Returns its output. */
async function runBlock(
  page: string,
  cwd: string,
  environment: Record<string, string> = {},
  after = '',
): Promise<string> {
  const { api, gateway } = network.profile
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  )
  const lines = blocks.find((text) => text.includes('curl ')) ?? ''
  expect(lines).toContain('127.0.0.1')
  const script = lines
    .replaceAll('http://127.0.0.1:8080', api)
    .replaceAll('http://127.0.0.1:8081', gateway)
    .replaceAll('<cid>', environment['CID'] ?? '')
    .replaceAll('cairn_upload_…', environment['LINK_TOKEN'] ?? '')
  const env = {
    ...process.env,
    CAIRN_NETWORK: join(network.home, 'network.json'),
    CAIRN_CONFIG_HOME: join(folder, 'config'),
    ...environment,
  }
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `${script}\n${after}`], { cwd, env })
  return stdout
}

async function upload(): Promise<{ apiKey: string; cid: string }> {
  const { apiKey } = await createTestKey(network)
  const { cid } = await uploadText(createClient({ network: network.profile, apiKey }), 'my page', { name: 'a.txt' })
  return { apiKey, cid }
}

test('runs the README: an API key, an upload, and a read', async () => {
  const { cid } = await upload()
  const output = await runBlock('README.md', root, { CID: cid })
  expect(output).toContain('"Name":"README.md"')
  expect(output).toContain('my page')
})

test('runs the page on names: creates, publishes, reads and exports a name', async () => {
  const { apiKey, cid } = await upload()
  const output = await runBlock('docs/names.md', folder, { KEY: apiKey, CID: cid }, 'echo; echo "name=$NAME"')
  expect(output).toContain('my page')
  expect(output).toContain('BEGIN PRIVATE KEY')
  const name = /name=(k51\w+)/.exec(output)?.[1] ?? ''
  const record = await readRecord(name, readFileSync(join(folder, 'record')))
  expect(record.value).toBe(`/ipfs/${cid}`)
})

test.each([[], ['--form-escape']])('curl %s uploads files whose names have quotes and backslashes', async (...args) => {
  const { apiKey } = await createTestKey(network)
  const names = ['end\\', 'a\\b', 'a"b', 'end"', '\\"', 'both\\"']
  const place = mkdtempSync(join(folder, 'names-'))
  for (const name of names) writeFileSync(join(place, name), name)
  for (const name of names) {
    // Within the form of curl, both characters are escaped for curl itself.
    const form = `file=@"${name.replaceAll(/["\\]/g, '\\$&')}"`
    const url = `${network.profile.api}/api/v0/add`
    const line = ['-sf', ...args, '-H', `Authorization: Bearer ${apiKey}`, '-F', form, url]
    const { stdout } = await promisify(execFile)('curl', line, { cwd: place })
    expect(JSON.parse(stdout)).toMatchObject({ Name: name })
  }
})

test('runs the page on upload links: sends a file with a token', async () => {
  const { apiKey } = await createTestKey(network)
  const { token } = await createUploadLink(createClient({ network: network.profile, apiKey }), { maxUploads: 1 })
  writeFileSync(join(folder, 'photo.jpg'), 'a photo')
  const output = await runBlock('docs/how-to/upload-links.md', folder, { LINK_TOKEN: token })
  expect(JSON.parse(output)).toMatchObject({ state: 'stored', lengthBytes: 7, result: [{ Name: 'photo.jpg' }] })
})

test('runs the page on signed links: uploads a private file, and opens it by a link', async () => {
  requireProgram('jq', 'jq')
  const { apiKey } = await createTestKey(network)
  writeFileSync(join(folder, 'photo.jpg'), 'a private photo')
  const output = await runBlock('docs/how-to/gateway-links.md', folder, { KEY: apiKey }, 'echo "$CID"; cat copy.jpg')
  const [cid = '', copy] = output.split('\n')
  expect(copy).toBe('a private photo')
  expect((await fetch(`${network.profile.gateway}/ipfs/${cid}`)).status).toBe(404)
})

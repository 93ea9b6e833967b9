// The tools of `cairn mcp` as the published client of the protocol calls them, against a network of real providers.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, createName, decryptBytes } from '@cairn/sdk'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { listen } from '../listen.ts'
import { programEnvironment } from '../program-environment.ts'
import { cliCommand, runCli } from '../run-cli.ts'
import { untilProven } from '../until-proven.ts'

const deals = { waitSeconds: 0.2, challengeSeconds: 20, pollMs: 50, pieceBytes: 5 * 1024 * 1024 }
const helloCid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

let network: TestNetwork
let folder = ''
let root = ''
let session: Session

/** A running server with its client, and everything that either has seen of it. */
type Session = { client: Client; seen: () => string; close: () => Promise<void> }

async function startServer(args: string[], options?: ClientOptions, env = {}): Promise<Session> {
  const seen: string[] = []
  const [node = '', ...program] = await cliCommand()
  const transport = new StdioClientTransport({
    command: node,
    args: [...program, 'mcp', ...args],
    cwd: root,
    env: {
      ...definedOnly(programEnvironment),
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(root, 'config'),
      ...env,
    },
    stderr: 'pipe',
  })
  transport.stderr?.on('data', (bytes: Buffer) => seen.push(bytes.toString()))
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(transport)
  return { client, seen: () => seen.join(''), close: () => client.close() }
}

function definedOnly(env: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_DEALS: JSON.stringify(deals) }, 'local', 20, 3)
  folder = mkdtempSync(join(tmpdir(), 'cairn-mcp-'))
  root = join(folder, 'root')
  mkdirSync(root)
  writeFileSync(join(root, 'hello.txt'), 'hello world')
  writeFileSync(join(folder, 'outside.txt'), 'outside')
  symlinkSync(join(folder, 'outside.txt'), join(root, 'link.txt'))
  symlinkSync(folder, join(root, 'link'))
  session = await startServer([])
})
afterAll(async () => {
  await session?.close()
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

type Result = { isError: boolean; data: Record<string, unknown>; text: string }

async function callTool(name: string, args: Record<string, unknown> = {}, from = session): Promise<Result> {
  const result = await from.client.callTool({ name, arguments: args })
  const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
  return { isError: result.isError === true, data: result.structuredContent as Result['data'], text }
}

/** The facts of a successful call. */
async function use(name: string, args: Record<string, unknown> = {}, from = session): Promise<Record<string, unknown>> {
  const { isError, data, text } = await callTool(name, args, from)
  expect(isError, text).toBe(false)
  return data
}

/** The error of a failing call. */
async function refuse(name: string, args: Record<string, unknown>, from = session): Promise<unknown> {
  const { isError, data, text } = await callTool(name, args, from)
  expect(isError, text).toBe(true)
  const { error } = data as { error: { code: string; hint: string } }
  expect(text).toContain(`${error.code}: `)
  expect(text).toContain(error.hint)
  return error
}

describe('the list of tools', () => {
  test('has strict inputs with a description of every field, and says what each tool may change', async () => {
    const { tools } = await session.client.listTools()
    expect(tools.length).toBeGreaterThan(10)
    for (const { name, description, inputSchema, annotations } of tools) {
      expect(description, name).toMatch(/\.$/)
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {}))
        expect(schema, `${name}.${field}`).toHaveProperty('description')
      expect(annotations, name).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
      })
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint).map(({ name }) => name)
    expect(destructive.sort()).toEqual(['download_file', 'publish_name', 'revoke_access'])
  })

  test.each([
    ['of 2025', undefined],
    ['of 2026', { versionNegotiation: { mode: 'auto' } } satisfies ClientOptions],
  ] as const)(
    'serves clients %s, and with --read-only offers only tools that change nothing',
    async (_era, options) => {
      const reader = await startServer(['--read-only'], options)
      try {
        const { tools } = await reader.client.listTools()
        expect(tools.map(({ name }) => name).sort()).toEqual(
          [
            ...['get_quota', 'list_access', 'list_files', 'list_folder', 'list_names'],
            ...['read_file', 'resolve_name', 'verify_storage'],
          ].sort(),
        )
        expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
        expect(await use('get_quota', {}, reader)).toMatchObject({ usedBytes: expect.any(Number) })
        const refused = callTool('upload_text', { text: 'x', name: 'x', encrypt: false }, reader)
        await expect(
          refused.then(
            ({ isError }) => isError,
            () => true,
          ),
        ).resolves.toBe(true)
      } finally {
        await reader.close()
      }
    },
  )
})

test('a public file is uploaded, listed with a cursor, read in part, and downloaded', async () => {
  const uploaded = await use('upload_file', { path: 'hello.txt', encrypt: false })
  expect(uploaded).toMatchObject({ cid: helloCid, name: 'hello.txt', isEncrypted: false })
  expect(await (await fetch(String(uploaded['url']))).text()).toBe('hello world')
  await use('upload_text', { text: 'second', name: 'second.txt', encrypt: false })
  const first = await use('list_files', { limit: 1 })
  expect(first).toMatchObject({ files: [{ name: 'second.txt', isEncrypted: false, access: 'public', sizeBytes: 6 }] })
  const next = await use('list_files', { limit: 1, cursor: first['nextCursor'] })
  expect(next).toMatchObject({ files: [{ cid: helloCid }] })
  const found = await callTool('list_files', { search: 'second' })
  expect([found.data['totalFiles'], found.text.split('\n', 1)]).toEqual([1, ['1 upload matches.']])

  expect(await use('read_file', { content: helloCid })).toMatchObject({ text: 'hello world', isTruncated: false })
  expect(await use('read_file', { content: helloCid, maxBytes: 5 })).toMatchObject({ text: 'hello', isTruncated: true })
  // A character cut by the limit is omitted.
  const { cid } = await use('upload_text', { text: 'aé', name: 'accent.txt', encrypt: false })
  expect(await use('read_file', { content: cid, maxBytes: 2 })).toMatchObject({ text: 'a', isTruncated: true })
  await use('download_file', { content: helloCid, path: 'copy.txt' })
  expect(readFileSync(join(root, 'copy.txt'), 'utf8')).toBe('hello world')
  expect(await refuse('download_file', { content: cid, path: 'copy.txt' })).toMatchObject({ code: 'FILE_EXISTS' })
  await use('download_file', { content: cid, path: 'copy.txt', overwrite: true })
  expect(readFileSync(join(root, 'copy.txt'), 'utf8')).toBe('aé')
})

test('uploads are encrypted by default, shared, revoked, and read back', async () => {
  const friend = await createKeyClient(network)
  const uploaded = await use('upload_text', { text: 'dear diary', name: 'diary.txt' })
  expect(uploaded).toMatchObject({ isEncrypted: true, keyNodes: { done: [1, 2, 3, 4, 5], pending: [] } })
  const cid = String(uploaded['cid'])
  expect(uploaded).not.toHaveProperty('url')
  expect(await use('read_file', { content: cid })).toMatchObject({ text: 'dear diary', isEncrypted: true })
  await expect(decryptBytes(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  const change = { cid, addresses: [friend.address] }
  expect(await use('share_file', change)).toMatchObject({ isEffective: true, pending: [] })
  expect(Buffer.from(await decryptBytes(friend, cid)).toString()).toBe('dear diary')
  const listed = await use('list_access', { cid })
  expect(JSON.stringify(listed['sharedTo']).toLowerCase()).toContain(friend.address.toLowerCase())
  const stranger = `0x${'77'.repeat(20)}`
  const wrong = await callTool('revoke_access', { cid, addresses: [stranger] })
  expect(wrong.data).toMatchObject({ revokedFrom: [], notShared: [stranger] })
  expect(wrong.text).toContain(`${cid} was not shared with ${stranger}.`)
  expect(await use('revoke_access', change)).toMatchObject({
    isEffective: true,
    revokedFrom: [friend.address],
    notShared: [],
  })
  await expect(decryptBytes(friend, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })
  const shared = await use('upload_file', { path: 'hello.txt', shareTo: [friend.address] })
  expect(Buffer.from(await decryptBytes(friend, String(shared['cid']))).toString()).toBe('hello world')
})

test('an encrypted folder has one CID, is listed, read and downloaded', async () => {
  mkdirSync(join(root, 'notes', 'deep'), { recursive: true })
  writeFileSync(join(root, 'notes', 'a.md'), 'one')
  writeFileSync(join(root, 'notes', 'deep', 'b.md'), 'two')
  symlinkSync(join(folder, 'outside.txt'), join(root, 'notes', 'link.txt'))
  const { cid, leftOut } = await use('upload_file', { path: 'notes' })
  expect(leftOut).toEqual(['notes/link.txt'])
  const { items } = await use('list_folder', { content: cid })
  expect(items).toEqual([
    { path: 'a.md', content: `${cid}/a.md`, sizeBytes: 3 },
    { path: 'deep/b.md', content: `${cid}/deep/b.md`, sizeBytes: 3 },
  ])
  expect(await use('read_file', { content: `${cid}/deep/b.md` })).toMatchObject({ text: 'two' })
  await use('download_file', { content: cid, path: 'notes-copy' })
  expect(readdirSync(join(root, 'notes-copy'), { recursive: true }).sort()).toEqual(['a.md', 'deep', 'deep/b.md'])
  const open = await use('upload_file', { path: 'notes', encrypt: false })
  const listed = await use('list_folder', { content: open['cid'], limit: 1 })
  expect(listed).toMatchObject({ items: [{ path: 'a.md' }], isTruncated: true })
})

test('files outside the roots, behind links, and the keys of the command line cannot be reached', async () => {
  for (const path of [
    ...['../outside.txt', join(folder, 'outside.txt'), 'link.txt', 'link/outside.txt', 'link/missing', '../missing'],
    ...['/etc/passwd', 'config', 'config/keys.json', '.'],
  ])
    expect(await refuse('upload_file', { path, encrypt: false }), path).toMatchObject({ code: 'FORBIDDEN' })
  for (const path of ['../new.txt', join(folder, 'new.txt'), 'link/new.txt', 'config/new.txt', '/tmp/none/new.txt'])
    expect(await refuse('download_file', { content: helloCid, path }), path).toMatchObject({ code: 'FORBIDDEN' })
  for (const path of ['link.txt', 'link'])
    expect(await refuse('download_file', { content: helloCid, path, overwrite: true }), path).toMatchObject({
      code: 'FILE_EXISTS',
    })
  expect(await refuse('upload_file', { path: 'missing.txt' })).toMatchObject({ code: 'FILE_UNREADABLE' })
  expect(readFileSync(join(folder, 'outside.txt'), 'utf8')).toBe('outside')
  expect(readdirSync(folder).sort()).toEqual(['outside.txt', 'root'])
})

test('the files with the password and the API key of the server cannot be reached, even below a root', async () => {
  const secrets = join(root, 'secrets')
  mkdirSync(secrets)
  const [password, apiKey] = ['secret password', `cairn_11111111_${'a'.repeat(64)}`]
  writeFileSync(join(secrets, 'password'), password)
  writeFileSync(join(secrets, 'key'), apiKey)
  symlinkSync(join(secrets, 'key'), join(root, 'key link'))
  const env = { CAIRN_PASSWORD_FILE: 'secrets/password' }
  const server = await startServer(['--api-key-file', 'key link', '--root', secrets, '--root', '.'], {}, env)
  try {
    for (const path of ['password', 'key', '../key link', '.', '..']) {
      expect(await refuse('upload_file', { path, encrypt: false }, server), path).toMatchObject({ code: 'FORBIDDEN' })
      const download = { content: helloCid, path, overwrite: true }
      if (!path.includes('..') && path !== '.')
        expect(await refuse('download_file', download, server), path).toMatchObject({ code: 'FORBIDDEN' })
    }
    expect(readFileSync(join(secrets, 'key'), 'utf8')).toBe(apiKey)
  } finally {
    await server.close()
    rmSync(secrets, { recursive: true })
    rmSync(join(root, 'key link'))
  }
})

test('wrong inputs and failures carry the stable code and the hint', async () => {
  expect(await refuse('upload_file', {})).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'The input is not valid: path is required',
    details: { issues: [{ field: 'path', message: 'is required' }] },
  })
  expect(await refuse('read_file', { content: helloCid, secret: 1 })).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'The input is not valid: secret is not allowed',
  })
  expect(await refuse('list_files', { limit: 0 })).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'The input is not valid: limit must be at least 1, but is 0',
  })
  expect(await refuse('upload_text', { text: 'x', name: '  ', encrypt: false })).toMatchObject({
    code: 'INVALID_REQUEST',
  })
  expect(await refuse('upload_text', { text: 'x', name: 'x', encrypt: false, shareTo: ['0x1'] })).toMatchObject({
    code: 'INVALID_REQUEST',
  })
  const unknown = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  expect(await refuse('read_file', { content: unknown })).toMatchObject({ code: 'BLOCK_NOT_FOUND' })
  expect(
    await refuse('share_file', { cid: unknown, addresses: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'] }),
  ).toEqual(expect.objectContaining({ code: expect.stringMatching(/^[A-Z_]+$/) }))
  writeFileSync(join(root, 'binary'), Buffer.from([0xff, 0xfe, 0x00]))
  const { cid } = await use('upload_file', { path: 'binary', encrypt: false })
  expect(await refuse('read_file', { content: cid })).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' })
})

test('publishes a name, resolves it and lists it by its label', async () => {
  const own = JSON.parse(readFileSync(join(root, 'config', 'keys.json'), 'utf8'))
  const { key: apiKey } = own[network.profile.api]
  const client = createClient({ network: network.profile, apiKey })
  const { name } = await createName(client, { label: 'site' })
  expect(await refuse('publish_name', { name: 'other', content: helloCid })).toMatchObject({ code: 'NAME_NOT_FOUND' })
  expect(await use('publish_name', { name: 'site', content: helloCid })).toMatchObject({
    name,
    value: `/ipfs/${helloCid}`,
  })
  expect(await use('resolve_name', { name })).toMatchObject({ cid: helloCid })
  expect(await use('resolve_name', { name: 'site' })).toMatchObject({ cid: helloCid })
  expect(await use('list_names')).toMatchObject({ names: [{ name, label: 'site', value: `/ipfs/${helloCid}` }] })
  expect(await use('read_file', { content: 'site' })).toMatchObject({ text: 'hello world' })
})

test('verifies storage on this machine', async () => {
  const { cid } = await use('upload_text', { text: 'prove me', name: 'proof.txt', encrypt: false })
  await untilProven(createClient({ network: network.profile }), String(cid))
  const report = await use('verify_storage', { cid, full: true })
  expect(report).toMatchObject({ cid, isProven: true, content: { outcome: 'proven' } })
  expect(await use('get_quota')).toMatchObject({ limitBytes: expect.any(Number), availableBytes: expect.any(Number) })
})

test('progress increases, and a cancelled upload stores nothing', async () => {
  writeFileSync(join(root, 'film.mkv'), Buffer.alloc(40 * 1024 * 1024, 7))
  const steps: number[] = []
  const call = { name: 'upload_file', arguments: { path: 'film.mkv', encrypt: false } }
  const stop = new AbortController()
  const cancelled = session.client.callTool(call, { signal: stop.signal, onprogress: () => stop.abort() })
  await expect(cancelled).rejects.toThrow()
  expect(await use('list_files', { search: 'film' })).toMatchObject({ files: [] })
  await session.client.callTool(call, { onprogress: ({ progress }) => steps.push(progress) })
  // The published client drops a step that arrives together with the result.
  expect(steps.length).toBeGreaterThan(0)
  expect(steps.at(-1)).toBeLessThanOrEqual(40 * 1024 * 1024)
  expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b))
  // The total of a search may be ten seconds old, but the rows are not.
  expect(await use('list_files', { search: 'film' })).toMatchObject({ files: [{ name: 'film.mkv' }] })
})

test('runs concurrent calls with one API key and one session', async () => {
  const fresh = await startServer(['--network', join(network.home, 'network.json')])
  try {
    const texts = ['one', 'two', 'three']
    const all = await Promise.all(texts.map((text) => use('upload_text', { text, name: `${text}.txt` }, fresh)))
    const back = await Promise.all(all.map(({ cid }) => use('read_file', { content: cid }, fresh)))
    expect(back.map(({ text }) => text)).toEqual(texts)
  } finally {
    await fresh.close()
  }
})

test('a server that starts before its network is available uses it later', async () => {
  let isAvailable = false
  await using late = await listen((_request, response) => {
    if (isAvailable) response.end(JSON.stringify(network.profile))
    else response.destroy()
  })
  const home = mkdtempSync(join(tmpdir(), 'cairn-mcp-late-'))
  const server = await startServer([], undefined, { CAIRN_NETWORK: late.url, CAIRN_CONFIG_HOME: home })
  try {
    expect(await refuse('get_quota', {}, server)).toMatchObject({ code: 'NETWORK_ERROR' })
    isAvailable = true
    expect(await use('get_quota', {}, server)).toMatchObject({ usedBytes: expect.any(Number) })
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
})

test('neither results nor messages contain a secret', async () => {
  const { wallet } = network.profile
  const texts: string[] = [session.seen()]
  for (const name of ['get_quota', 'list_files', 'list_names']) texts.push(JSON.stringify(await callTool(name)))
  texts.push(JSON.stringify(await refuse('read_file', { content: 'no such label' })))
  const stored = ['keys.json', 'sessions.json'].flatMap((file) => findSecrets(join(root, 'config', file)))
  expect(stored.length).toBeGreaterThan(3)
  for (const secret of [...stored, String(wallet?.privateKey).slice(2)])
    expect(texts.join('\n').includes(secret)).toBe(false)
})

/** The long texts in a file of the command line that are not addresses. */
function findSecrets(path: string): string[] {
  const found: string[] = []
  JSON.parse(readFileSync(path, 'utf8'), (name, value: unknown) => {
    if (['key', 'token', 'refreshToken', 'sessionKey', 'privateKey'].includes(name) && typeof value === 'string')
      found.push(value)
    return value
  })
  return found
}

test('ends when the client closes its end, and explains itself without one', async () => {
  const env = { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: join(root, 'config') }
  // It communicates through the standard streams of its process.
  const options = { cwd: root, env, input: '', asProcess: true }
  const ended = await runCli(['mcp'], options)
  expect(ended).toMatchObject({ code: 0, out: '' })
  const wrong = await runCli(['mcp', '--root', 'missing'], options)
  expect(wrong).toMatchObject({ code: 1, out: '' })
  expect(wrong.err).toContain('Cannot read missing')
  const secret = await runCli(['mcp', '--password-stdin'], options)
  expect(secret.code).toBe(2)
  expect(secret.err).toContain('CAIRN_PASSWORD_FILE')
})

// Names with the real program, as a shell runs it.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importNameKey, readRecord } from '@cairn/names'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { type CliRun, runCli } from '../run-cli.ts'

let network: TestNetwork
let folder = ''
const cids: string[] = []
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-cli-names-'))
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  for (const text of ['one', 'two']) {
    const { out } = await cairn(['upload', '-', '--name', `${text}.txt`, '--json'], { input: text })
    cids.push(JSON.parse(out).cid)
  }
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

type Around = { input?: string | Uint8Array; home?: string; isWithoutPassword?: boolean; profile?: string }

function cairn(args: string[], around: Around = {}): Promise<CliRun> {
  const { input, home = 'home', isWithoutPassword = false, profile = join(network.home, 'network.json') } = around
  return runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: profile,
      CAIRN_CONFIG_HOME: join(folder, home),
      ...(isWithoutPassword ? {} : { CAIRN_PASSWORD_FILE: join(folder, 'password') }),
    },
    input,
  })
}
async function lines(args: string[], around?: Around): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await cairn([...args, '--json'], around)
  expect(code, err).toBe(0)
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
async function json(args: string[], around?: Around): Promise<Record<string, unknown>> {
  return (await lines(args, around))[0] ?? {}
}

test('creates a name at the service, publishes it by its label, resolves, lists, renames, exports and removes it', async () => {
  const made = await cairn(['name', 'create', 'my site'])
  expect(made.code, made.err).toBe(0)
  const name = made.out.trim()
  expect(name).toMatch(/^k51[0-9a-z]+$/)
  expect(made.err).toContain("cairn name publish 'my site' <cid>")

  const published = await cairn(['name', 'publish', 'my site', cids[0] ?? ''])
  expect(published.code, published.err).toBe(0)
  expect(published.out).toBe(`${name} → /ipfs/${cids[0]}\n${network.profile.gateway}/ipns/${name}\n`)
  const again = await json(['name', 'publish', name, `/ipfs/${cids[1]}`, '--lifetime', '2h', '--ttl', '90s'])
  expect(again).toMatchObject({ name, value: `/ipfs/${cids[1]}`, ttlMs: 90_000, key: 'service' })
  expect(Math.abs(Date.parse(String(again['validUntil'])) - Date.now() - 7_200_000)).toBeLessThan(60_000)
  expect((await readRecord(name, Buffer.from(String(again['record']), 'base64'))).value).toBe(`/ipfs/${cids[1]}`)

  const resolved = await cairn(['name', 'resolve', name])
  expect(resolved.out).toBe(`/ipfs/${cids[1]}\n`)
  expect(resolved.err).toContain('Verified by the signature of its key')
  expect(await json(['name', 'resolve', 'my site'])).toMatchObject({ name, cid: cids[1], records: [{ name }] })
  expect((await lines(['name', 'history', 'my site'])).map(({ value }) => value)).toEqual([
    `/ipfs/${cids[1]}`,
    `/ipfs/${cids[0]}`,
  ])

  const listed = await cairn(['name', 'list'])
  expect(listed.out.split('\n')[0]).toMatch(/^LABEL\s+KEY\s+EXPIRES\s+NAME\s+POINTS TO/)
  expect(listed.out).toContain(`my site  service  renewed  ${name}  /ipfs/${cids[1]}`)
  expect(await json(['name', 'rename', 'my site', 'home'])).toEqual({ name, label: 'home' })

  expect((await cairn(['name', 'export', 'home', '-o', 'home.key', '--format', 'libp2p'])).code).toBe(0)
  const bytes = readFileSync(join(folder, 'home.key'))
  expect(bytes.length).toBe(68)
  expect(statSync(join(folder, 'home.key')).mode & 0o777).toBe(0o600)
  expect((await importNameKey(bytes)).name).toBe(name)
  expect((await cairn(['name', 'export', 'home', '-o', 'home.key'])).err).toContain('home.key already exists')

  const unasked = await cairn(['name', 'rm', 'home'])
  expect(unasked.code).toBe(2)
  expect(await json(['name', 'rm', 'home', '--yes'])).toEqual({ removed: name })

  // The exported key is used here.
  expect(await json(['name', 'import', 'home.key', 'mine'])).toEqual({ name, label: 'mine', key: 'here' })
  expect(await json(['name', 'publish', 'mine', cids[0] ?? ''])).toMatchObject({ name, key: 'here' })
  expect((await cairn(['name', 'import', 'home.key'])).err).toContain('is already on this machine')
})

test('accepts a label wherever a name is expected, with and without a path below it', async () => {
  mkdirSync(join(folder, 'pages'))
  writeFileSync(join(folder, 'pages', 'index.html'), '<p>hi')
  const { cid } = await json(['upload', 'pages'])
  const { name } = await json(['name', 'create', 'by label'])
  await json(['name', 'publish', 'by label', String(cid)])
  expect((await cairn(['ls', 'by label'])).out).toContain('index.html')
  expect((await cairn(['cat', 'by label/index.html'])).out).toBe('<p>hi')
  expect((await cairn(['get', 'by label/index.html'])).code).toBe(0)
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe('<p>hi')
  await json(['name', 'create', 'alias'])
  expect(await json(['name', 'publish', 'alias', 'by label'])).toMatchObject({ value: `/ipns/${name}` })
  expect((await cairn(['cat', 'alias/index.html'])).out).toBe('<p>hi')
  const unknown = await cairn(['cat', 'by lable/index.html'])
  expect([unknown.code, unknown.err]).toEqual([
    3,
    expect.stringContaining('"by lable" is neither a CID nor the label of one of your names'),
  ])
})

test('makes a key on this machine readable only by its owner', async () => {
  const around = { home: 'local' }
  const { name } = await json(['name', 'create', 'blog', '--local'], around)
  const file = join(folder, 'local', 'names', `${name}.json`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'local', 'names')).mode & 0o777).toBe(0o700)
  const listed = async () => (await lines(['name', 'list'], around)).filter((row) => row['name'] === name)
  expect(await listed()).toEqual([{ name, label: 'blog', value: null, validUntil: null, key: 'here' }])
  const published = await cairn(['name', 'publish', 'blog', cids[0] ?? ''], around)
  expect(published.out).toContain(`${name} → /ipfs/${cids[0]}`)
  expect(published.err).toContain('with the key of blog on this machine.')
  expect((await cairn(['cat', String(name)], around)).out).toBe('one')
  expect(await listed()).toMatchObject([{ label: 'blog', cid: cids[0], keyHeld: 'owner', key: 'here' }])
  expect(await json(['name', 'rename', 'blog', 'diary'], around)).toEqual({ name, label: 'diary' })
  expect(await listed()).toMatchObject([{ label: 'diary' }])
  expect((await importNameKey((await cairn(['name', 'export', 'diary'], around)).out)).name).toBe(name)
  expect(await json(['name', 'rm', 'diary', '-y'], around)).toEqual({ removed: name })
  expect(existsSync(file)).toBe(false)
})

test('signs and shows nothing of a password-protected key without the password', async () => {
  const around = { home: 'locked' }
  const { name } = await json(['name', 'create', 'safe', '--local', '--encrypt'], around)
  const key = await importNameKey((await cairn(['name', 'export', 'safe'], around)).out)
  expect(key.name).toBe(name)
  expect(await json(['name', 'publish', 'safe', cids[0] ?? ''], around)).toMatchObject({ name, key: 'here' })

  const wrong = await cairn(['name', 'publish', 'safe', cids[1] ?? '', '--password-stdin'], {
    ...around,
    input: 'guess\n',
  })
  expect(wrong.code).toBe(4)
  expect(wrong.err).not.toContain('guess')
  const unasked = await cairn(['name', 'export', 'safe'], { ...around, isWithoutPassword: true })
  expect(unasked.code).toBe(2)
  expect(unasked.err).toContain('Password of safe')
})

test('reads imported keys from standard input in every form, and rejects anything else', async () => {
  const around = { home: 'imported' }
  const pem =
    '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEID7yFDkZD83qAEXx3zDT2K0bC9Nm11zq1WWtPKp/aL/A\n-----END PRIVATE KEY-----\n'
  const name = 'k51qzi5uqu5djoauoi3dfg9u11fpvo3rbl1195szexedd06fg4i15bjfs3wn77'
  expect(await json(['name', 'import', '-', 'from kubo'], { ...around, input: pem })).toMatchObject({ name })
  for (const input of ['', 'x'.repeat(10_000)]) {
    const refused = await cairn(['name', 'import', '-'], { ...around, input })
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('Invalid name key')
  }
  expect((await cairn(['name', 'import', 'no such file'], around)).err).toContain('Cannot read no such file')
  expect(readdirSync(join(folder, 'imported', 'names'))).toEqual([`${name}.json`])
})

test('without an account, a key on this machine publishes, and any client resolves', async () => {
  const { wallet: _wallet, ...deployed } = JSON.parse(readFileSync(join(network.home, 'network.json'), 'utf8'))
  writeFileSync(join(folder, 'deployed.json'), JSON.stringify(deployed))
  const around = { home: 'nobody', profile: join(folder, 'deployed.json') }
  const { name } = await json(['name', 'create', 'x', '--local'], around)
  expect(await json(['name', 'publish', 'x', cids[1] ?? ''], around)).toMatchObject({ name, key: 'here' })
  expect(await json(['name', 'resolve', String(name)], around)).toMatchObject({ cid: cids[1] })
  expect(await lines(['name', 'list'], around)).toEqual([
    { name, label: 'x', value: null, validUntil: null, key: 'here' },
  ])
  expect((await cairn(['name', 'create'], around)).code).toBe(4)
  expect((await cairn(['name', 'rm', 'x', '--yes'], around)).code).toBe(0)
})

test('creates a key on this machine without any network', async () => {
  const around = { home: 'offline', profile: join(folder, 'none.json') }
  const { name } = await json(['name', 'create', 'later', '--local'], around)
  expect((await importNameKey((await cairn(['name', 'export', 'later'], around)).out)).name).toBe(name)
})

test('rejects labels that are unknown or ambiguous, and texts that are not labels', async () => {
  const around = { home: 'labels' }
  expect((await cairn(['name', 'resolve', 'nothing'], around)).code).toBe(3)
  const first = await json(['name', 'create', 'twice', '--local'], around)
  expect((await cairn(['name', 'create', 'twice'], around)).err).toContain(String(first['name']))
  // Created elsewhere at the same time.
  const second = await json(['name', 'create', 'other', '--local'], around)
  const file = join(folder, 'labels', 'names', `${second['name']}.json`)
  writeFileSync(file, readFileSync(file, 'utf8').replace('other', 'twice'))
  const ambiguous = await cairn(['name', 'publish', 'twice', cids[0] ?? ''], around)
  expect(ambiguous.code).toBe(2)
  for (const { name } of [first, second]) expect(ambiguous.err).toContain(String(name))
  expect(await json(['name', 'publish', String(first['name']), cids[0] ?? ''], around)).toMatchObject({
    name: first['name'],
  })
  for (const label of [String(first['name']), 'a/b']) {
    expect((await cairn(['name', 'create', label, '--local'], around)).code).toBe(2)
  }
  expect((await cairn(['name', 'create', 'x', '--encrypt'], around)).err).toContain('--local')
})

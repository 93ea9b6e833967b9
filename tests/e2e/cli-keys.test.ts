// Encrypted files with the real program, as the shells of two users run it.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, downloadBytes, getFileInfo, prepareKey, saveKey } from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFaultyProxy } from '../faulty-proxy.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { storeLightWallet } from '../light-wallet.ts'
import { type CliRun, cliCommand, runCli } from '../run-cli.ts'

const friendKey = generatePrivateKey()
const friend = privateKeyToAccount(friendKey).address
let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-cli-keys-'))
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  writeFileSync(join(folder, 'diary.txt'), 'dear diary')
  await storeLightWallet(join(folder, 'friend'), friendKey, 'correct horse')
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** `owner` has the test wallet, `friend` its own. */
function cairn(
  who: 'owner' | 'friend',
  args: string[],
  input?: string,
  profile = join(network.home, 'network.json'),
): Promise<CliRun> {
  return runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: profile,
      CAIRN_CONFIG_HOME: join(folder, who),
      CAIRN_PASSWORD_FILE: join(folder, 'password'),
    },
    input,
  })
}
async function json(who: 'owner' | 'friend', ...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await cairn(who, [...args, '--json'])
  expect(code, err).toBe(0)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}

test('uploads, shares, opens, revokes and transfers between two users, each with one signature', async () => {
  const first = await cairn('owner', ['upload', '--encrypt', 'diary.txt', '--json'])
  expect(first.code, first.err).toBe(0)
  const uploaded: { cid: string; keyNodes: { done: number[] } } = JSON.parse(first.out)
  expect(uploaded.keyNodes.done).toEqual([1, 2, 3, 4, 5])
  const { cid } = uploaded
  expect(statSync(join(folder, 'owner', 'sessions.json')).mode & 0o777).toBe(0o600)

  const denied = await cairn('friend', ['get', cid, '-o', 'theirs.txt'])
  expect(denied.code).toBe(4)
  expect(denied.err).toContain('Access Denied')
  expect(await json('owner', 'share', cid, friend)).toMatchObject({ done: [1, 2, 3, 4, 5], isEffective: true })
  expect(await json('owner', 'access', cid)).toMatchObject({ sharedTo: [friend.toLowerCase()], health: 'whole' })
  expect(await json('friend', 'access', cid, '--explain')).toMatchObject({ isAllowed: true, by: 'shared' })
  expect((await cairn('friend', ['get', cid, '-o', 'theirs.txt'])).code).toBe(0)
  expect(readFileSync(join(folder, 'theirs.txt'), 'utf8')).toBe('dear diary')
  expect((await json('friend', 'keys', 'list', '--shared'))['cid']).toBe(cid)
  // A reader who keeps a copy still reads the file, not its encrypted bytes.
  expect(await cairn('friend', ['api-key', 'new'])).toMatchObject({ code: 0 })
  expect(await cairn('friend', ['pin', cid])).toMatchObject({ code: 0 })
  expect(await cairn('friend', ['cat', cid])).toMatchObject({ code: 0, out: 'dear diary' })
  // A wrong address is reported, with the addresses that still have access.
  const stranger = `0x${'77'.repeat(20)}`
  const wrong = await cairn('owner', ['unshare', cid, stranger])
  expect([wrong.code, wrong.out]).toEqual([0, expect.stringContaining(`${cid} was not shared with ${stranger}.`)])
  expect(wrong.err).toContain(`It is still shared with ${friend.toLowerCase()}.`)
  expect(await json('owner', 'unshare', cid, friend, stranger)).toMatchObject({
    isEffective: true,
    revokedFrom: [friend],
    notShared: [stranger],
  })
  expect((await cairn('friend', ['get', cid, '-o', 'no.txt'])).code).toBe(4)
  const log = await cairn('owner', ['keys', 'log', cid, '--json'])
  const events: { kind: string; address: string }[] = log.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  // The first revocation concerns the wrong address: nodes that missed a share of it must not restore it.
  expect(events.map(({ kind }) => kind).sort()).toEqual(['denied', 'opened', 'revoke', 'revoke', 'save', 'share'])
  expect(events.find(({ kind }) => kind === 'opened')?.address).toBe(friend.toLowerCase())
  expect((await cairn('owner', ['keys', 'log', '--limit', '0'])).code).toBe(2)
  expect(await cairn('friend', ['keys', 'log', cid, '--json'])).toMatchObject({ code: 0, out: '' })

  expect((await cairn('owner', ['transfer', cid, friend])).code, 'asked first').toBe(2)
  expect(await json('owner', 'transfer', cid, friend, '--yes')).toMatchObject({ owner: friend })
  expect((await cairn('owner', ['get', cid, '-o', 'mine.txt'])).code).toBe(4)
  expect((await cairn('friend', ['get', cid, '-o', 'mine.txt'])).code).toBe(0)
  const signed = [first.err, denied.err].join('')
  expect(signed.match(/Signing with/g)?.length ?? 0).toBeLessThanOrEqual(1)
})

test('a link opens a file for someone without wallet, key or network, until it is revoked', async () => {
  const { cid } = (await json('owner', 'upload', '--encrypt', 'diary.txt')) as { cid: string }
  const create = [
    'link',
    'create',
    cid,
    '--opens',
    '5',
    '--expires',
    '1h',
    '--label',
    'for Ida',
    '--name',
    '../letter.txt',
  ]
  const made = await cairn('owner', [...create, '--password', '--password-stdin', '--json'], 'our cat\n')
  expect(made.code, made.err).toBe(0)
  const { id, url } = JSON.parse(made.out) as { id: string; url: string }
  expect(url.split('#')[1]).toMatch(/^[\w-]{43}$/)

  /** On a machine that knows no network. */
  const visit = (args: string[], password: string) =>
    runCli(['link', 'open', url, ...args, '--password-stdin'], {
      cwd: folder,
      env: { CAIRN_CONFIG_HOME: join(folder, 'visitor'), CAIRN_HOME: join(folder, 'nowhere') },
      input: `${password}\n`,
    })
  const wrong = await visit([], 'our dog')
  expect([wrong.code, wrong.err]).toEqual([4, expect.stringContaining('The password is wrong')])
  const opened = await visit([], 'our cat')
  expect(opened.code, opened.err).toBe(0)
  expect(readFileSync(join(folder, 'letter.txt'), 'utf8')).toBe('dear diary')
  expect(await json('owner', 'link', 'ls')).toMatchObject({
    id,
    label: 'for Ida',
    opens: 1,
    failures: 1,
    state: 'open',
  })
  expect(await json('owner', 'link', 'rm', id)).toEqual({ revoked: id })
  const gone = await visit(['-o', 'no.txt'], 'our cat')
  expect(gone.code).toBe(3)
  expect(gone.err).toContain('The link was revoked')
  expect((await cairn('owner', ['link', 'create', cid, '--opens', 'many'])).code).toBe(2)
})

test('a target that cannot be written does not use up a link', async () => {
  const { cid } = await json('owner', 'upload', '--encrypt', 'diary.txt')
  const create = ['link', 'create', String(cid), '--opens', '2', '--name', 'taken.txt']
  const { url } = await json('owner', ...create)
  const open = (...args: string[]) => cairn('friend', ['link', 'open', String(url), ...args])
  writeFileSync(join(folder, 'taken.txt'), 'mine')
  const existing = await open('-o', 'taken.txt')
  expect([existing.code, existing.err]).toEqual([1, expect.stringContaining('taken.txt already exists')])
  const missing = await open('-o', join('missing', 'letter.txt'))
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('does not exist or cannot be created')])
  // Its own name is known only after the open, so another one is chosen for it.
  const opened = await open('--json')
  expect(opened.code, opened.err).toBe(0)
  expect(readFileSync(join(folder, String(cid)), 'utf8')).toBe('dear diary')
  expect((await open('-o', 'taken.txt', '--force')).code).toBe(0)
  expect(readFileSync(join(folder, 'taken.txt'), 'utf8')).toBe('dear diary')
  expect((await open('-o', 'third.txt')).err).toContain('The link is used up')
})

test('a download that breaks after the last open of a link continues without another open', async () => {
  const bytes = randomBytes(3_000_000)
  writeFileSync(join(folder, 'film.bin'), bytes)
  const { cid } = await json('owner', 'upload', '--encrypt', 'film.bin')
  const { url } = await json('owner', 'link', 'create', String(cid), '--opens', '1', '--name', 'copy of film.bin')
  // What it is comes first, then a part of its bytes.
  let requests = 0
  await using gateway = await startFaultyProxy(network.profile.gateway, () =>
    ++requests <= 2 ? { kind: 'cut answer', afterBytes: 2_500_000 } : { kind: 'refuse', status: 503 },
  )
  const profile = join(folder, 'breaking.json')
  writeFileSync(profile, JSON.stringify({ ...network.profile, gateway: gateway.url }))
  const broken = await cairn('friend', ['link', 'open', String(url), '--json'], undefined, profile)
  expect([broken.code, broken.out]).toEqual([6, ''])
  const target = join(folder, 'copy of film.bin')
  expect(statSync(`${target}.part`).size).toBeGreaterThan(100_000)
  expect(statSync(`${target}.key.json`).mode & 0o777).toBe(0o600)
  const { hint } = JSON.parse(broken.err).error
  expect(hint).toContain(
    `To continue without another open: cairn get ${cid} --key-file 'copy of film.bin.key.json' -o 'copy of film.bin' --force`,
  )
  const options = ['--key-file', 'copy of film.bin.key.json', '-o', 'copy of film.bin', '--force']
  const continued = await cairn('friend', ['get', String(cid), ...options])
  expect(continued.code, continued.err).toBe(0)
  expect(readFileSync(target).equals(bytes)).toBe(true)
  expect((await cairn('friend', ['link', 'open', String(url), '-o', 'other.bin'])).err).toContain('The link is used up')
})

test.each(['.npmrc', 'notes.txt'])(
  'a link with the name %s neither hides its file nor replaces another one',
  async (name) => {
    const { cid } = await json('owner', 'upload', '--encrypt', 'diary.txt')
    const { url } = await json('owner', 'link', 'create', String(cid), '--name', name)
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    rmSync(join(folder, String(cid)), { force: true })
    const opened = await cairn('friend', ['link', 'open', String(url), '--force'])
    expect(opened.code, opened.err).toBe(0)
    expect(readFileSync(join(folder, String(cid)), 'utf8')).toBe('dear diary')
    expect(existsSync(join(folder, '.npmrc'))).toBe(false)
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine')
  },
)

test('paths in a folder encrypted as one match those of plain folders, and a folder in it is reported as such', async () => {
  mkdirSync(join(folder, 'trip', 'day 1'), { recursive: true })
  writeFileSync(join(folder, 'trip', 'day 1', 'ü.txt'), 'rain')
  mkdirSync(join(folder, 'trip', 'nothing yet'))
  symlinkSync('day 1', join(folder, 'trip', 'link'))
  const { cid, leftOut } = await json('owner', 'upload', '--encrypt', '--as-one', 'trip')
  expect(leftOut).toEqual(['trip/link'])
  const { err } = await cairn('owner', ['upload', '--encrypt', 'trip'])
  expect(err).toContain('Left out trip/link: not a file')
  expect(await cairn('owner', ['cat', `${cid}//day 1/ü.txt`])).toMatchObject({ code: 0, out: 'rain' })
  for (const path of ['day 1', 'day 1/']) {
    const refused = await cairn('owner', ['get', `${cid}/${path}`, '-o', 'day'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('day 1 is a folder in an encrypted')])
  }
  const empty = await cairn('owner', ['get', `${cid}/nothing yet`, '-o', 'day'])
  expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('nothing yet is a folder in an encrypted')])
})

test('ls lists the names in a folder encrypted as one, for those who may read it', async () => {
  mkdirSync(join(folder, 'album', 'may'), { recursive: true })
  mkdirSync(join(folder, 'album', 'none'))
  writeFileSync(join(folder, 'album', 'may', 'first.txt'), 'Dear Ida')
  writeFileSync(join(folder, 'album', 'list.txt'), 'one')
  const { cid } = (await json('owner', 'upload', '--encrypt', '--as-one', 'album')) as { cid: string }
  const rows = async (...args: string[]) => {
    const { code, out, err } = await cairn('owner', ['ls', ...args, '--json'])
    expect(code, err).toBe(0)
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  }
  const [list, first] = [
    { path: 'list.txt', sizeBytes: 3 },
    { path: 'may/first.txt', sizeBytes: 8 },
  ]
  expect(await rows(cid)).toEqual([list, first, { path: 'none/', sizeBytes: null }])
  expect(await rows(cid, '--limit', '1')).toEqual([list])
  expect(await rows(`${cid}/may`)).toEqual([first])
  expect((await cairn('owner', ['ls', `${cid}/none`])).err).toBe('The folder is empty.\n')
  expect((await cairn('owner', ['ls', cid])).err).toContain(`To open a file: cairn cat ${cid}/<path>`)
  expect((await rows(cid, '--encrypted')).map(({ name }) => name)).toEqual(['0', '1', 'index'])
  expect((await cairn('owner', ['ls', `${cid}/list.txt`])).err).toContain('NOT_A_DIRECTORY')
  expect((await cairn('owner', ['ls', `${cid}/june`])).err).toContain('The folder does not contain june')
  expect((await cairn('owner', ['ls', '--encrypted'])).err).toContain('use --type encrypted')
  const refused = await cairn('friend', ['ls', cid])
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('To list what is stored, use --encrypted.')])
  // The same names in a folder that is not encrypted.
  mkdirSync(join(folder, 'numbers'))
  for (const name of ['0', 'index']) writeFileSync(join(folder, 'numbers', name), name)
  const plain = (await json('owner', 'upload', 'numbers')) as { cid: string }
  expect((await rows(plain.cid)).map(({ name }) => name)).toEqual(['0', 'index'])
})

test('a rotation shows its progress', async () => {
  const { cid } = await json('owner', 'upload', '--encrypt', 'diary.txt')
  const command = [...(await cliCommand()), 'keys', 'rotate', String(cid)]
  const { stdout } = await promisify(execFile)(
    'script',
    ['--quiet', '--return', '--command', command.map((part) => `'${part}'`).join(' '), '/dev/null'],
    {
      env: {
        ...process.env,
        CAIRN_CONFIG_HOME: join(folder, 'owner'),
        CAIRN_NETWORK: join(network.home, 'network.json'),
      },
    },
  )
  expect(stdout).toMatch(/\[Kbaf\S+ \d+ B\b.*\/s/)
})

test('exported keys open without nodes; rotated ones differ; damaged and foreign files are reported', async () => {
  const { cid } = (await json('owner', 'upload', '--encrypt', '--format', 'v2', 'diary.txt')) as { cid: string }
  expect(await json('owner', 'keys', 'export', cid, '-o', 'diary.key')).toMatchObject({ shards: 5 })
  expect(statSync(join(folder, 'diary.key')).mode & 0o777).toBe(0o600)
  expect((await cairn('owner', ['keys', 'export', cid, '-o', 'diary.key'])).err).toContain('already exists')
  expect((await cairn('friend', ['get', cid, '--key-file', 'diary.key', '-o', 'exported.txt'])).code).toBe(0)
  expect(readFileSync(join(folder, 'exported.txt'), 'utf8')).toBe('dear diary')
  expect(await json('owner', 'keys', 'recover', 'diary.key')).toMatchObject({ cid })
  for (const args of [
    ['keys', 'recover', 'diary.txt'],
    ['get', cid, '--key-file', 'diary.txt', '-o', 'x.txt'],
  ])
    expect((await cairn('owner', args)).err).toContain('The file is not an exported key set')
  const rotated = await json('owner', 'keys', 'rotate', cid)
  expect(rotated).toMatchObject({ before: cid, retired: [1, 2, 3, 4, 5] })
  expect(rotated['cid']).not.toBe(cid)
  expect((await cairn('owner', ['get', String(rotated['cid']), '--key-file', 'diary.key', '-o', 'x.txt'])).code).toBe(2)
  expect(await json('owner', 'keys', 'repair', cid)).toMatchObject({ before: 'whole', after: 'whole' })
  expect((await cairn('owner', ['keys', 'status', cid])).out).toContain('retired')
})

test.each(['lacks a node', 'was lost by a node'])('keys repair signs in again when the session %s', async (what) => {
  const { cid } = (await json('owner', 'upload', '--encrypt', 'diary.txt')) as { cid: string }
  const file = join(folder, 'owner', 'sessions.json')
  const read = (): Record<string, { nodes: unknown[] }> => JSON.parse(readFileSync(file, 'utf8'))
  const ended = read()
  await json('owner', 'keys', 'sign-out')
  expect(await json('owner', 'keys', 'status', cid)).toMatchObject({ health: 'whole' })
  const kept = read()
  for (const [name, { nodes }] of Object.entries(kept))
    nodes[0] = what === 'lacks a node' ? null : (ended[name]?.nodes[0] ?? null)
  writeFileSync(file, JSON.stringify(kept))
  const { code, out, err } = await cairn('owner', ['keys', 'repair', cid])
  expect([code, out], err).toEqual([0, expect.stringMatching(/^node 1 {2}current\n/)])
  expect(await json('owner', 'keys', 'status', cid)).toMatchObject({ health: 'whole' })
})

test('keys saved by strangers change nothing: the owner of a file gets the correct bytes, plain or decrypted', async () => {
  writeFileSync(join(folder, 'plain.txt'), 'plain words')
  const { cid: plain } = (await json('owner', 'upload', 'plain.txt')) as { cid: string }
  const { cid: sealed } = (await json('owner', 'upload', '--encrypt', 'diary.txt')) as { cid: string }
  const stranger = await createKeyClient(network)
  const bytes = await downloadBytes(stranger, sealed)
  const upload = async (content: Uint8Array<ArrayBuffer>, isEncrypted: boolean) => {
    const form = new FormData()
    form.set('file', new Blob([content]), 'spoof.exe')
    const headers = { authorization: `Bearer ${stranger.apiKey}`, encryption: String(isEncrypted) }
    const answer = await fetch(`${network.profile.upload}/api/v0/add`, { method: 'POST', headers, body: form })
    expect(answer.status).toBe(200)
  }
  await upload(new TextEncoder().encode('plain words'), true)
  await upload(new Uint8Array(bytes), false)
  // The stranger's uploads are the only ones left.
  for (const cid of [plain, sealed]) await json('owner', 'rm', cid, '--yes')
  const anyone = createClient({ network: network.profile })
  expect(await getFileInfo(anyone, plain)).toMatchObject({ encryption: true })
  expect(await getFileInfo(anyone, sealed)).toMatchObject({ encryption: false })
  for (const [cid, right] of [
    [plain, 'plain words'],
    [sealed, 'dear diary'],
  ] as const) {
    const got = await cairn('owner', ['get', cid, '-o', `${right}.got`])
    expect(got.code, got.err).toBe(0)
    expect(readFileSync(join(folder, `${right}.got`), 'utf8')).toBe(right)
    expect((await cairn('owner', ['cat', cid])).out).toBe(right)
  }
  expect((await cairn('owner', ['cat', sealed, '--encrypted'])).out).not.toContain('dear')

  // A key can be saved for any CID: the owner's own upload takes precedence, and the error tells others how to proceed.
  await json('owner', 'upload', 'plain.txt')
  await saveKey(stranger, plain, await prepareKey())
  const own = await cairn('owner', ['cat', plain])
  expect([own.out, own.err]).toEqual(['plain words', ''])
  const other = await cairn('friend', ['cat', plain])
  expect([other.code, other.out]).toEqual([4, ''])
  expect(other.err).toContain('To download the encrypted bytes, use --encrypted.')
  expect((await cairn('friend', ['cat', plain, '--encrypted'])).out).toBe('plain words')
})

test('templates print usable conditions, and invalid ones are rejected with the reason', async () => {
  const { cid } = (await json('owner', 'upload', '--encrypt', 'diary.txt')) as { cid: string }
  const template = await cairn('owner', [
    'conditions',
    'template',
    'erc20',
    '--chain',
    'Optimism',
    '--contract',
    `0x${'1'.repeat(40)}`,
    '--at-least',
    '5',
  ])
  expect(JSON.parse(template.out)).toMatchObject({
    conditions: [{ method: 'balanceOf', returnValueTest: { value: '5' } }],
  })
  const refused = await cairn('owner', ['conditions', 'set', cid, '-'], template.out)
  expect(refused.err).toContain('Optimism is not supported')
  expect((await cairn('owner', ['conditions', 'set', cid, '-'], '{}')).err).toContain('Condition validation error')
  expect(await json('owner', 'conditions', 'show', cid)).toMatchObject({ conditions: [], cid })
  expect(await json('owner', 'keys', 'sign-out')).toEqual({ signedOut: true })
})

test('signing out while a node is offline says so, keeps the credentials to sign out there, and finishes later', async () => {
  expect((await cairn('owner', ['keys', 'list'])).code).toBe(0)
  const profile = JSON.parse(readFileSync(join(network.home, 'network.json'), 'utf8'))
  const partly = join(folder, 'partly.json')
  writeFileSync(partly, JSON.stringify({ ...profile, keyNodes: profile.keyNodes.with(3, 'http://127.0.0.1:9') }))
  const first = await cairn('owner', ['keys', 'sign-out'], undefined, partly)
  expect(first.code).not.toBe(0)
  expect(first.err).toContain('still open at key node 4')
  const kept = () => readFileSync(join(folder, 'owner', 'sessions.json'), 'utf8')
  expect(kept()).toContain('"isClosing": true')
  expect(await json('owner', 'keys', 'sign-out')).toEqual({ signedOut: true })
  expect(JSON.parse(kept())).toEqual({})
  expect(await json('owner', 'keys', 'sign-out'), 'nobody is signed in').toEqual({ signedOut: true })
})

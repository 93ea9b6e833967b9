// Files on the command line: upload, download, list, rename and remove.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFaultyProxy } from '../faulty-proxy.ts'
import { programEnvironment } from '../program-environment.ts'
import { cliCommand } from '../run-cli.ts'
import { type CliHome, createCliHome, hello } from './cli-home.ts'

/** The command, as a part of a shell line. */
let cli = ''
let home: CliHome
beforeAll(async () => {
  cli = (await cliCommand()).map((part) => `'${part}'`).join(' ')
  home = await createCliHome()
})
afterAll(() => home?.[Symbol.asyncDispose]())

test.each([
  ['a killed call', 'SIGKILL', { code: null }],
  ['a stopped call', 'SIGINT', { code: 130, err: expect.stringContaining('Run the same command again to resume') }],
] as const)('--resume continues %s, and removes its state at the end', async (_, signal, ending) => {
  const { folder, cairn } = home
  const bytes = randomBytes(64 * 1024 * 1024)
  writeFileSync(join(folder, 'film.mkv'), bytes)
  const kept = join(folder, 'config', 'uploads.json')
  let running: ChildProcess | undefined
  const offsets: number[] = []
  // The service runs in this process.
  const watch = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    if (request.method !== 'PATCH') return
    offsets.push(Number(request.headers['upload-offset']))
    const from = request.socket.bytesRead
    const timer = setInterval(() => {
      const isPartly = request.socket.bytesRead - from > 24 * 1024 * 1024 && offsets.length === 1
      // Once: a signal that arrives while the process exits would end it without its exit code.
      if (isPartly) running?.kill(signal)
      if (isPartly || request.destroyed) clearInterval(timer)
    }, 1)
  }
  subscribe('http.server.request.start', watch)
  try {
    const killed = await cairn(['upload', '--resume', 'film.mkv'], {
      started: (child) => {
        running = child
      },
    })
    expect(killed).toMatchObject(ending)
    expect(Object.keys(JSON.parse(readFileSync(kept, 'utf8')))).toHaveLength(1)
    const { code, out } = await cairn(['upload', '--resume', 'film.mkv', '--json'])
    expect(code).toBe(0)
    expect(offsets[0]).toBe(0)
    expect(offsets.at(-1)).toBeGreaterThanOrEqual(16 * 1024 * 1024)
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toEqual({})
    const { cid }: { cid: string } = JSON.parse(out)
    const plain = await cairn(['upload', 'film.mkv', '--json'])
    expect(JSON.parse(plain.out)).toMatchObject({ cid })
  } finally {
    unsubscribe('http.server.request.start', watch)
  }
  const wrong = await cairn(['upload', '--resume', '--encrypt', 'film.mkv'])
  expect(wrong.err).toContain('--resume supports files and folders, not --encrypt')
})

test('--resume abandons an upload whose file changes, and releases its reservation', async () => {
  const { folder, cairn } = home
  const path = join(folder, 'shrinking.log')
  writeFileSync(path, randomBytes(32 * 1024 * 1024))
  // The service runs in this process.
  const shrink = (message: unknown) => {
    const { request } = message as { request: IncomingMessage }
    if (request.method === 'PATCH') truncateSync(path, 0)
  }
  subscribe('http.server.request.start', shrink)
  try {
    const { code, err } = await cairn(['upload', '--resume', 'shrinking.log'])
    expect([code, err]).toEqual([1, expect.stringContaining('changed while it was read')])
  } finally {
    unsubscribe('http.server.request.start', shrink)
  }
  expect(JSON.parse(readFileSync(join(folder, 'config', 'uploads.json'), 'utf8'))).toEqual({})
  expect(JSON.parse((await cairn(['balance', '--json'])).out)).toMatchObject({ reservedBytes: 0 })
})

test('uploads folders and standard input with options, and prints JSON for programs', async () => {
  const { network, folder, cairn } = home
  mkdirSync(join(folder, 'site', 'css'), { recursive: true })
  writeFileSync(join(folder, 'site', 'index.html'), '<p>hi')
  writeFileSync(join(folder, 'site', 'css', 'a.css'), 'p{}')
  const site = JSON.parse((await cairn(['upload', 'site', '--json'])).out)
  expect(site).toMatchObject({ name: 'site', sizeBytes: 8 })
  const piped = JSON.parse(
    (await cairn(['upload', '-', '--name', 'piped.txt', '--json'], { input: 'hello world' })).out,
  )
  expect(piped).toMatchObject({ cid: hello, name: 'piped.txt' })
  for (const option of ['--car', '--wrap'])
    expect((await cairn(['upload', '--encrypt', option, 'hello.txt'])).err).toContain(
      `${option} and --encrypt cannot be combined`,
    )
  const wrong = [
    [['-', '-'], 'Standard input can be uploaded only once'],
    [['-', '--encrypt', '--as-one'], '--as-one supports folders, not -'],
    [['hello.txt', '--encrypt', '--name', ''], '--name is empty'],
  ] as const
  for (const [args, message] of wrong) {
    const refused = await cairn(['upload', ...args])
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) })
  }
  const old = JSON.parse((await cairn(['upload', 'hello.txt', '--cid-version', '0', '--json'])).out)
  expect(old.cid).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
  const wrapped = JSON.parse((await cairn(['upload', 'hello.txt', '--wrap', '--json'])).out)
  expect(wrapped.cid).toBe('bafybeic6svhkwl3y2wvkj33weshyjjs5cbvgijh7yo3kjasyglrdwe2l74')

  expect((await cairn(['ls', site.cid])).out).toMatch(/css[\s\S]*index\.html/)
  expect((await cairn(['ls', site.cid, '--limit', '1', '--quiet'])).out.trim().split('\n')).toHaveLength(1)
  for (const option of ['search', 'type', 'sort']) {
    const { code, err } = await cairn(['ls', site.cid, `--${option}`, 'name'])
    expect(err).toContain(`--${option} applies to the list of your uploads, not to a folder`)
    expect(code).toBe(2)
  }
  expect((await cairn(['cat', `${site.cid}/css/a.css`])).out).toBe('p{}')
  const got = await cairn(['get', site.cid, '-o', 'copy'])
  expect(got.code).toBe(0)
  expect(readFileSync(join(folder, 'copy', 'css', 'a.css'), 'utf8')).toBe('p{}')
  const car = await fetch(`${network.profile.gateway}/ipfs/${site.cid}?format=car`)
  const blocks = Buffer.from(await car.arrayBuffer())
  writeFileSync(join(folder, 'site.car'), blocks)
  expect(JSON.parse((await cairn(['upload', 'site.car', '--car', '--json'])).out).cid).toBe(site.cid)
  const sent = await cairn(['upload', '-', '--car', '--name', 'sent', '--json'], { input: blocks })
  expect(JSON.parse(sent.out)).toMatchObject({ cid: site.cid, name: 'sent' })
})

test('--skip-stored sends only what the account has not stored yet', async () => {
  const { folder, cairn } = home
  mkdirSync(join(folder, 'photos'))
  writeFileSync(join(folder, 'photos', 'one.jpg'), 'one')
  const first = JSON.parse((await cairn(['upload', '--skip-stored', 'photos', '--json'])).out)
  expect(first.wasStored).toBeUndefined()
  const again = await cairn(['upload', '--skip-stored', 'photos', '--json'])
  expect(JSON.parse(again.out)).toEqual({ ...first, wasStored: true })
  expect((await cairn(['upload', '--skip-stored', 'photos'])).out).toContain('photos  3 B  already stored')
  writeFileSync(join(folder, 'photos', 'two.jpg'), 'two')
  expect((await cairn(['upload', '--skip-stored', 'photos'])).out).not.toContain('already stored')
  const piped = await cairn(['upload', '--skip-stored', '-'], { input: 'one' })
  expect([piped.code, piped.err]).toEqual([2, expect.stringContaining('--skip-stored supports files and folders')])
  const encrypted = await cairn(['upload', '--skip-stored', '--encrypt', 'photos'])
  expect(encrypted.err).toContain('--skip-stored and --encrypt cannot be combined')
})

test('cid computes the CID of an upload without a network', async () => {
  const { folder, cairn } = home
  const away = { env: { CAIRN_NETWORK: join(folder, 'no-network.json') }, config: 'away' }
  mkdirSync(join(folder, 'to-count', 'deep'), { recursive: true })
  writeFileSync(join(folder, 'to-count', 'deep', 'a.txt'), 'a')
  writeFileSync(join(folder, 'to-count', '.env'), 'secret')
  const uploaded = JSON.parse((await cairn(['upload', 'to-count', '--json'])).out)
  expect((await cairn(['cid', 'hello.txt', 'to-count'], away)).out).toBe(
    `${hello}  hello.txt\n${uploaded.cid}  to-count\n`,
  )
  const visible = JSON.parse((await cairn(['upload', '--no-hidden', 'to-count', '--json'])).out)
  expect(visible.sizeBytes).toBe(1)
  expect((await cairn(['cid', '--no-hidden', '-q', 'to-count'], away)).out).toBe(`${visible.cid}\n`)
  const piped = await cairn(['cid', '-', '--json'], { ...away, input: 'hello world' })
  expect(JSON.parse(piped.out)).toEqual({ path: '-', cid: hello, sizeBytes: 11, dagSizeBytes: 11 })
  expect((await cairn(['cid', '-q', '--cid-version', '0', 'hello.txt'], away)).out).toBe(
    'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD\n',
  )
  expect((await cairn(['cid', 'not-there'], away)).err).toContain('Cannot read not-there')
})

test('-q prints one value and nothing else', async () => {
  const { cairn } = home
  // The first call may create the key, and report it.
  await cairn(['balance'])
  const quiet = async (...args: string[]) => {
    const { code, out, err } = await cairn([...args, '-q'])
    expect([code, err], args.join(' ')).toEqual([0, ''])
    return out
  }
  expect(await quiet('upload', 'hello.txt')).toBe(`${hello}\n`)
  expect(await quiet('upload', '--encrypt', 'hello.txt')).toMatch(/^bafk[a-z2-7]{55}\n$/)
  expect(await quiet('get', hello, '-o', 'quiet.txt')).toBe('quiet.txt\n')
  expect(await quiet('info', hello)).toBe(`${hello}\n`)
  expect(await quiet('pin', hello)).toBe(`${hello}\n`)
  expect(await quiet('balance')).toMatch(/^\d+\n$/)
  expect(await quiet('status')).toBe('ready\n')
  expect((await quiet('ls', '--limit', '1')).trim()).toBe(hello)
  const name = (await quiet('name', 'create', 'quiet')).trim()
  expect(await quiet('name', 'publish', 'quiet', hello)).toBe(`${name}\n`)
  expect(await quiet('name', 'list')).toContain(`${name}\n`)
  expect(await quiet('name', 'rm', 'quiet', '--yes')).toBe(`${name}\n`)
})

test('accepts the address of content at a gateway, too', async () => {
  const { folder, cairn } = home
  mkdirSync(join(folder, 'pages'))
  writeFileSync(join(folder, 'pages', '100% a#b.txt'), 'named')
  const { cid, url }: { cid: string; url: string } = JSON.parse((await cairn(['upload', 'pages', '--json'])).out)
  const addresses = [
    `${url}/100%25%20a%23b.txt`,
    `${url}/100%25%20a%23b.txt?download=true#top`,
    `https://${cid}.ipfs.dweb.link/100%25%20a%23b.txt`,
    `https://ipfs.io/ipfs/${cid}//100%25%20a%23b.txt`,
  ]
  for (const address of addresses)
    expect(await cairn(['cat', address]), address).toMatchObject({ code: 0, out: 'named' })
  expect((await cairn(['ls', `${url}/`])).out).toContain('100% a#b.txt')
  expect((await cairn(['get', addresses[1] ?? ''])).code).toBe(0)
  expect(readFileSync(join(folder, '100% a#b.txt'), 'utf8')).toBe('named')
  for (const address of ['https://example.com/a', 'http://'])
    expect(await cairn(['cat', address]), address).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${address} is not the address of content on a gateway`),
    })
})

test('keeps an existing target by default', async () => {
  const { folder, cairn } = home
  writeFileSync(join(folder, 'mine.txt'), 'precious')
  const refused = await cairn(['get', hello, '-o', 'mine.txt'])
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('mine.txt already exists [FILE_EXISTS]\nChoose another target with -o, or use --force')
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('precious')
  expect((await cairn(['get', hello, '-o', 'mine.txt', '--force'])).code).toBe(0)
  expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('hello world')
})
test('ls, info, rename, rm, balance, quote, pin', async () => {
  const { cairn } = home
  const rows = (await cairn(['ls', '--json', '--search', 'piped'])).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(rows).toMatchObject([{ fileName: 'piped.txt', cid: hello }])
  expect((await cairn(['ls', '--sort', 'name', '--limit', '2'])).out.trim().split('\n')).toHaveLength(3)
  expect((await cairn(['info', hello])).out).toMatch(/Size +11 B \(11 bytes\)/)
  expect((await cairn(['rename', rows[0].id, 'renamed.txt'])).out).toContain('renamed.txt')
  expect((await cairn(['--json', 'mv', rows[0].id, 'again.txt'])).out).toContain('"again.txt"')
  expect((await cairn(['rm', rows[0].id, '--yes'])).code).toBe(0)
  expect((await cairn(['rm', rows[0].id, '--yes'])).code).toBe(3)
  expect((await cairn(['rm', hello])).err).toContain('--yes')
  expect(JSON.parse((await cairn(['balance', '--json'])).out)).toMatchObject({
    limitBytes: expect.any(Number),
    usedBytes: expect.any(Number),
  })
  expect(JSON.parse((await cairn(['quote', 'site', '--json'])).out)).toMatchObject({
    totalSize: 8,
    metaData: [{ fileName: 'a.css' }, { fileName: 'index.html' }],
  })
  expect((await cairn(['quote', 'site'])).out).toContain('After upload')
  expect((await cairn(['pin', hello, '--name', 'kept'])).out).toContain('kept')
})

/** Runs a shell line in which a failing part of a pipe fails. */
async function runPipe(line: string): Promise<{ code: number | null; out: string }> {
  const { network, folder } = home
  return await new Promise((done) => {
    const shell = spawn('bash', ['-o', 'pipefail', '-c', line], {
      cwd: folder,
      env: {
        ...process.env,
        CAIRN_NETWORK: join(network.home, 'network.json'),
        CAIRN_CONFIG_HOME: join(folder, 'config'),
      },
    })
    let text = ''
    shell.stdout.on('data', (piece: Buffer) => {
      text += piece.toString()
    })
    shell.on('close', (status) => done({ code: status, out: text }))
  })
}

test('a reader that stops early is not an error', async () => {
  const { code, out } = await runPipe(`${cli} ls | head -1`)
  expect(code).toBe(0)
  expect(out).toMatch(/^CID /)
  const long = Buffer.alloc(3_000_000, 'ten bytes\n')
  writeFileSync(join(home.folder, 'long.txt'), long)
  const { out: cid } = await home.cairn(['upload', 'long.txt', '-q'])
  expect(await runPipe(`${cli} cat ${cid.trim()} | head -1`)).toEqual({ code: 0, out: 'ten bytes\n' })
})

test('rejects a folder as standard input, and stores nothing', async () => {
  mkdirSync(join(home.folder, 'input'), { recursive: true })
  const before = (await home.cairn(['ls', '-q'])).out
  for (const args of ['upload -', 'upload --encrypt -', 'cid -', 'import cids - --gateway http://127.0.0.1:9']) {
    const { code, out } = await runPipe(`${cli} ${args} --json 2>&1 < input`)
    expect([code, out], args).toEqual([1, expect.stringContaining('"message":"Standard input is a folder"')])
  }
  expect((await home.cairn(['ls', '-q'])).out).toBe(before)
})

test('a command that changes something completes after its reader has gone', async () => {
  const names = ['pipe-1.txt', 'pipe-2.txt', 'pipe-3.txt']
  for (const name of names) writeFileSync(join(home.folder, name), name)
  const list = async () =>
    (await home.cairn(['ls', '--search', 'pipe-', '--json'])).out.split('\n').filter(Boolean).length
  // Bash waits for the whole pipe.
  expect(await runPipe(`${cli} upload ${names.join(' ')} | true`)).toEqual({ code: 0, out: '' })
  expect(await list()).toBe(3)
  const ids = (await home.cairn(['ls', '--search', 'pipe-', '--json'])).out.split('\n').filter(Boolean)
  const all = ids.map((line) => JSON.parse(line).id).join(' ')
  expect(await runPipe(`${cli} rm --yes ${all} 2>&1 | true`)).toEqual({ code: 0, out: '' })
  expect(await list()).toBe(0)
  // Later failures still fail.
  expect((await runPipe(`${cli} upload pipe-1.txt missing.txt 2>&1 | true`)).code).toBe(1)
})

test.each([
  [['ls'], /error: Cannot write to standard output\. The disk is full \(ENOSPC\) \[FILE_UNREADABLE\]\nFree some space/],
  [
    ['cat', hello],
    /error: Cannot write to standard output\. The disk is full \(ENOSPC\) \[FILE_UNREADABLE\]\nFree some space/,
  ],
  [['ls', '--json'], /^{"error":{"code":"FILE_UNREADABLE","message":"Cannot write to standard output\./],
])('%j reports that its output could not be written', async (args, expected) => {
  const { network, folder, cairn } = home
  expect((await cairn(['upload', 'hello.txt'])).code).toBe(0)
  const child = spawn('sh', ['-c', `exec ${cli} ${args.join(' ')} > /dev/full`], {
    env: {
      ...programEnvironment,
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, 'config'),
    },
  })
  const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr)])
  expect(code).toBe(1)
  expect(err).toMatch(expected)
})

test('a command that is repeated after a lost response stores its upload once', async () => {
  const { folder, network, cairn } = home
  let isLossy = true
  await using proxy = await startFaultyProxy(network.profile.upload, () =>
    isLossy ? { kind: 'lose answer' } : undefined,
  )
  const shaky = join(folder, 'shaky.json')
  writeFileSync(shaky, JSON.stringify({ ...network.profile, upload: proxy.url }))
  mkdirSync(join(folder, 'lossy-site'))
  const config = 'config-lossy'
  for (const [at, name] of ['lossy.txt', 'lossy.bin', 'lossy-site'].entries()) {
    const size = [10, 3_000_000, 0][at] ?? 0
    writeFileSync(join(folder, name === 'lossy-site' ? 'lossy-site/index.html' : name), randomBytes(size))
    const upload = ['--network', shaky, 'upload', name, '--json']
    isLossy = true
    const lost = await cairn(upload, { config })
    expect([lost.code, JSON.parse(lost.err.split('\n').findLast((line) => line !== '') ?? '').error.code]).toEqual([
      6,
      'NETWORK_ERROR',
    ])
    isLossy = false
    expect((await cairn(upload, { config })).code).toBe(0)
    const list = await cairn(['ls', '--json', '--search', name], { config })
    expect(list.out.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(readFileSync(join(folder, config, 'uploads.json'), 'utf8'))).toEqual({})
  }
  // Another content under the same name is another upload, also if it cannot be told by size and time.
  isLossy = true
  await cairn(['--network', shaky, 'upload', 'lossy-site'], { config })
  writeFileSync(join(folder, 'lossy-site', 'index.html'), 'changed')
  isLossy = false
  expect((await cairn(['--network', shaky, 'upload', 'lossy-site'], { config })).code).toBe(0)
  expect((await cairn(['ls', '--json', '--search', 'lossy-site'], { config })).out.trim().split('\n')).toHaveLength(3)
})

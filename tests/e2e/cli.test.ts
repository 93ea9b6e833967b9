import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createWallet } from '@cairn/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { storeLightWallet } from '../light-wallet.ts'
import { programEnvironment } from '../program-environment.ts'
import { type CliRun, cliCommand, runCli } from '../run-cli.ts'

/** The command without its arguments, and as a part of a shell's line. */
let node: string[]
let cli = ''

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  node = await cliCommand()
  cli = node.map((part) => `'${part}'`).join(' ')
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  writeFileSync(join(folder, 'hello.txt'), 'hello world')
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

type RunOptions = {
  input?: string
  config?: string
  env?: Record<string, string>
  asProcess?: boolean
  started?: (child: ChildProcess) => void
}

function cairn(args: string[], { input, config = 'config', env = {}, ...run }: RunOptions = {}): Promise<CliRun> {
  return runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, config),
      CAIRN_PASSWORD_FILE: join(folder, 'password'),
      ...env,
    },
    input,
    ...run,
  })
}

/** A wallet for what is not about the wallet itself. */
const storeWallet = (config: string) =>
  storeLightWallet(join(folder, config), createWallet().privateKey, 'correct horse')

const hello = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test('the first upload is one line, with nothing set up before', async () => {
  const { code, out, err } = await cairn(['upload', 'hello.txt'], { asProcess: true })
  expect(err).toContain('Created an API key')
  expect(code).toBe(0)
  expect(out).toContain(`${hello}  hello.txt  11 B`)
  expect(out).toContain(`${network.profile.gateway}/ipfs/${hello}`)
  const keys = join(folder, 'config', 'keys.json')
  expect(statSync(keys).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o700)
})

describe('upload and get', () => {
  test('--resume continues a killed call, and removes its state at the end', async () => {
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
        if (request.socket.bytesRead - from > 24 * 1024 * 1024 && offsets.length === 1) running?.kill('SIGKILL')
        if (request.destroyed) clearInterval(timer)
      }, 1)
    }
    subscribe('http.server.request.start', watch)
    try {
      const killed = await cairn(['upload', '--resume', 'film.mkv'], {
        started: (child) => {
          running = child
        },
      })
      expect(killed.code).not.toBe(0)
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

  test('folders, standard input, options; JSON for programs', async () => {
    mkdirSync(join(folder, 'site', 'css'), { recursive: true })
    writeFileSync(join(folder, 'site', 'index.html'), '<p>hi')
    writeFileSync(join(folder, 'site', 'css', 'a.css'), 'p{}')
    const site = JSON.parse((await cairn(['upload', 'site', '--json'])).out)
    expect(site).toMatchObject({ name: 'site', sizeBytes: 8 })
    const piped = JSON.parse(
      (await cairn(['upload', '-', '--name', 'piped.txt', '--json'], { input: 'hello world' })).out,
    )
    expect(piped).toMatchObject({ cid: hello, name: 'piped.txt' })
    const old = JSON.parse((await cairn(['upload', 'hello.txt', '--cid-version', '0', '--json'])).out)
    expect(old.cid).toBe('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
    const wrapped = JSON.parse((await cairn(['upload', 'hello.txt', '--wrap', '--json'])).out)
    expect(wrapped.cid).toBe('bafybeic6svhkwl3y2wvkj33weshyjjs5cbvgijh7yo3kjasyglrdwe2l74')

    expect((await cairn(['ls', site.cid])).out).toMatch(/css[\s\S]*index\.html/)
    expect((await cairn(['cat', `${site.cid}/css/a.css`])).out).toBe('p{}')
    const got = await cairn(['get', site.cid, '-o', 'copy'])
    expect(got.code).toBe(0)
    expect(readFileSync(join(folder, 'copy', 'css', 'a.css'), 'utf8')).toBe('p{}')
    const car = await fetch(`${network.profile.gateway}/ipfs/${site.cid}?format=car`)
    writeFileSync(join(folder, 'site.car'), Buffer.from(await car.arrayBuffer()))
    expect(JSON.parse((await cairn(['upload', 'site.car', '--car', '--json'])).out).cid).toBe(site.cid)
  })

  test('-q prints the one value and nothing else', async () => {
    // The first call may make the key, and say so.
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

  test('keeps an existing target by default', async () => {
    writeFileSync(join(folder, 'mine.txt'), 'precious')
    const refused = await cairn(['get', hello, '-o', 'mine.txt'])
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('already exists')
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('precious')
    expect((await cairn(['get', hello, '-o', 'mine.txt', '--force'])).code).toBe(0)
    expect(readFileSync(join(folder, 'mine.txt'), 'utf8')).toBe('hello world')
  })
})

describe('what is stored', () => {
  test('ls, info, rename, rm, balance, quote, pin', async () => {
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

  test('a reader that has enough is no fault', async () => {
    const { code, out } = await new Promise<{ code: number | null; out: string }>((done) => {
      const shell = spawn('bash', ['-o', 'pipefail', '-c', `${cli} ls | head -1`], {
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
    expect(code).toBe(0)
    expect(out).toMatch(/^CID /)
  })

  test.each([
    [['ls'], /error: Cannot write to standard output\. The disk is full \(ENOSPC\)\nFree some space/],
    [['cat', hello], /error: Cannot write to standard output\. The disk is full \(ENOSPC\)\nFree some space/],
    [['ls', '--json'], /^{"error":{"code":"FILE_UNREADABLE","message":"Cannot write to standard output\./],
  ])('%j says that its output could not be written', async (args, expected) => {
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
})

describe('wallet and keys', () => {
  test('a wallet is made, shown, signs, changes hands', async () => {
    const config = 'wallet'
    const made = JSON.parse((await cairn(['wallet', 'create', '--json'], { config })).out)
    expect((await cairn(['wallet', 'show'], { config })).out.trim()).toBe(made.address.toLowerCase())
    expect((await cairn(['wallet', 'create'], { config })).code).toBe(1)
    expect((await cairn(['wallet', 'sign', 'hello'], { config })).out).toMatch(/^0x[0-9a-f]{130}\n$/)
    expect((await cairn(['wallet', 'export', 'out.json'], { config })).code).toBe(0)
    expect(statSync(join(folder, 'out.json')).mode & 0o777).toBe(0o600)
    const other = JSON.parse((await cairn(['wallet', 'import', 'out.json', '--json'], { config: 'other' })).out)
    expect(other.address).toBe(made.address)
    const key = (await cairn(['api-key', 'new', '--name', 'laptop', '-q'], { config })).out.trim()
    expect(key).toMatch(/^cairn_/)
    const listed = (await cairn(['api-key', 'list', '--json'], { config })).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(listed).toMatchObject([{ name: 'laptop' }])
    expect((await cairn(['api-key', 'revoke', listed[0].id], { config })).code).toBe(0)
    expect((await cairn(['balance'], { config, env: { CAIRN_API_KEY: key } })).code).toBe(4)
    expect((await cairn(['wallet', 'remove', '--yes'], { config })).code).toBe(0)
    expect((await cairn(['wallet', 'show'], { config })).code).toBe(4)
  })

  test('a key gets the rights and the end that were asked for; its name cannot write to the terminal', async () => {
    const config = 'rights'
    await storeWallet(config)
    const made = await cairn(['api-key', 'new'], { config })
    expect(made.err).toMatch(
      /It expires \d{4}-\d\d-\d\d \d\d:\d\d\. Anyone with this key can use files:read, files:write, account\./,
    )
    const narrow = ['api-key', 'new', '--print-only', '--name', 'narrow', '--scope', 'files:read', '--json']
    const json = JSON.parse((await cairn([...narrow, '--expires', '2100-01-01'], { config })).out)
    expect(json).toMatchObject({ scopes: ['files:read'], expiresAt: Date.UTC(2100, 0) })
    expect(JSON.parse((await cairn([...narrow, '--expires', 'never'], { config })).out).expiresAt).toBeNull()
    const env = { CAIRN_API_KEY: json.apiKey }
    expect((await cairn(['balance'], { config, env })).code).toBe(0)
    expect((await cairn(['api-key', 'list'], { config, env })).code).toBe(4)
    for (const wrong of [
      ['--scope', 'admin'],
      ['--expires', 'soon'],
      ['--expires', '2020-01-01'],
    ])
      expect((await cairn([...narrow, ...wrong], { config })).code, wrong.join(' ')).toBe(2)
    const refused = await cairn(['api-key', 'new', '--name', 'a\nADMIN'], { config })
    expect([refused.code, refused.err.split('\n')[0]]).toEqual([
      2,
      'error: The name contains characters that cannot be displayed',
    ])
    // One from before such names were refused.
    const { db } = network.storage.context
    const id = json.apiKey.split('_')[1]
    const name = 'old\nADMIN\u001b[2J\u009b1m\u202e'
    await db.write((trx) => trx.updateTable('api_key').set({ name }).where('id', '=', id).execute())
    const listed = await cairn(['api-key', 'list'], { config })
    expect(listed.out).toContain('old\\nADMIN\\u001b[2J\\u009b1m\\u202e')
    const lines = (await cairn(['api-key', 'list', '--json'], { config })).out.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).name)).toContain(name)
    expect(`${listed.out}${lines.join('')}`.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202a-\u202e]/u)
  })

  test('with another wallet, keys and sessions of the one before are not used', async () => {
    const [config, first] = ['switched', { config: 'switched' }]
    expect((await cairn(['upload', 'hello.txt'], first)).out).toContain(hello)
    expect((await cairn(['keys', 'list'], first)).code).toBe(0)
    const sessions = () => readFileSync(join(folder, config, 'sessions.json'), 'utf8')
    const test = network.profile.wallet?.address.toLowerCase() ?? ''
    expect(sessions()).toContain(test)
    const made = await cairn(['wallet', 'create', '--json'], first)
    const { address }: { address: string } = JSON.parse(made.out)
    const refused = await cairn(['upload', 'hello.txt'], first)
    expect([refused.code, refused.out]).toEqual([4, ''])
    expect(refused.err).toContain(
      `No valid API key for your wallet ${address.toLowerCase()}: the saved key belongs to ${test}`,
    )
    const listed = await cairn(['keys', 'list'], first)
    expect([listed.code, listed.err]).toEqual([
      0,
      expect.stringContaining(`Closed the session of ${test} with the key nodes`),
    ])
    expect(sessions()).toContain(address.toLowerCase())
    expect(sessions()).not.toContain(test)
    const key = await cairn(['api-key', 'new'], first)
    expect(key.err).toContain(`It replaces the key for ${test}`)
    expect((await cairn(['upload', 'hello.txt'], first)).out).toContain(hello)
    // A third wallet: what does not match it is named immediately.
    const third = await cairn(['wallet', 'create', '--force'], first)
    expect(third.err).toContain(`belongs to ${address.toLowerCase()} and is no longer used`)
    expect((await cairn(['api-key', 'show'], first)).code).toBe(4)
  })

  test('reports a wrong password, and keeps the wallet', async () => {
    const config = 'locked'
    await storeWallet(config)
    writeFileSync(join(folder, 'wrong'), 'nope\n')
    const { code, err } = await cairn(['wallet', 'sign', 'x'], {
      config,
      env: { CAIRN_PASSWORD_FILE: join(folder, 'wrong') },
    })
    expect(code).toBe(4)
    expect(err).not.toContain('nope')
  })

  test('passwords and keys come by standard input, a line each', async () => {
    const [config, env] = ['piped', { CAIRN_PASSWORD_FILE: '' }]
    const stdin = (args: string[], input: string) => cairn([...args, '--password-stdin'], { config, env, input })
    const key = `0x${'11'.repeat(32)}`
    expect((await stdin(['wallet', 'import'], `${key}\nfirst\n`)).out).toContain(
      'Wallet 0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
    )
    expect((await stdin(['wallet', 'password'], 'first\nsecond\n')).code).toBe(0)
    expect((await stdin(['wallet', 'sign', 'x'], 'first\n')).code).toBe(4)
    expect((await stdin(['wallet', 'sign', 'x'], 'second\n')).out).toMatch(/^0x[0-9a-f]{130}\n$/)
    expect((await stdin(['wallet', 'sign', 'x'], '')).code).toBe(2)
    const made = (await stdin(['api-key', 'new', '--print-only', '-q'], 'second\n')).out.trim()
    expect((await cairn(['api-key', 'show'], { config, env })).code).toBe(4)
    expect((await cairn(['api-key', 'import', made], { config, env })).code).toBe(2)
    expect((await stdin(['api-key', 'import'], `${made}\n`)).code).toBe(0)
    expect((await cairn(['api-key', 'show'], { config, env })).out.trim()).toBe(made)
    writeFileSync(join(folder, 'api-key'), `${made}\n`, { mode: 0o600 })
    const imported = await cairn(['api-key', 'import', '--api-key-file', 'api-key'], { config: 'by-file', env })
    expect(imported.code).toBe(0)
    expect(statSync(join(folder, 'by-file', 'keys.json')).mode & 0o777).toBe(0o600)
    expect((await cairn(['api-key', 'clear'], { config, env })).code).toBe(0)
    expect((await cairn(['api-key', 'show'], { config, env })).code).toBe(4)
  })

  test('a password typed at a terminal is not shown', async () => {
    const line = `${cli} wallet create`
    const output = await new Promise<string>((done, fail) => {
      const terminal = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
        env: {
          ...process.env,
          CAIRN_CONFIG_HOME: join(folder, 'typed'),
          CAIRN_NETWORK: join(network.home, 'network.json'),
        },
      })
      let text = ''
      let asked = 0
      terminal.stdout.on('data', (piece: Buffer) => {
        text += piece.toString()
        const prompts = ['Choose a password', 'Repeat'].filter((prompt) => text.includes(prompt)).length
        for (; asked < prompts; asked++) terminal.stdin.write('s3cret-words\r')
      })
      terminal.on('error', fail)
      terminal.on('close', () => done(text))
    })
    expect(output).toContain('Wallet 0x')
    expect(output).not.toContain('s3cret')
    expect(existsSync(join(folder, 'typed', 'wallet.json'))).toBe(true)
  })

  test('Ctrl-C and no at a question end with 130 and leave everything', async () => {
    await storeWallet('asked')
    const line = `exec ${cli} wallet remove`
    for (const answer of ['\u0003', 'n\r']) {
      const ended = await new Promise<{ code: number | null; text: string }>((done, fail) => {
        const terminal = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
          env: { ...process.env, CAIRN_CONFIG_HOME: join(folder, 'asked') },
        })
        let text = ''
        let isAnswered = false
        terminal.stdout.on('data', (piece: Buffer) => {
          text += piece.toString()
          if (isAnswered || !text.includes('[y/N]')) return
          isAnswered = true
          terminal.stdin.write(answer)
        })
        terminal.on('error', fail)
        terminal.on('close', (code) => done({ code, text }))
      })
      expect(ended.code).toBe(130)
      expect(ended.text).not.toContain('error:')
      expect(existsSync(join(folder, 'asked', 'wallet.json'))).toBe(true)
    }
  })

  test('what cannot be an API key is not sent', async () => {
    for (const key of ['two\nlines', 'two words', 'ключ', '  '])
      expect(await cairn(['balance'], { env: { CAIRN_API_KEY: key } })).toMatchObject({
        code: 4,
        err: expect.stringContaining('error: CAIRN_API_KEY does not contain an API key'),
      })
    const file = join(folder, 'no-key.txt')
    writeFileSync(file, '')
    expect(await cairn(['balance', '--api-key-file', file])).toMatchObject({
      code: 4,
      err: expect.stringContaining(`error: ${file} does not contain an API key`),
    })
  })

  test('secrets that others can read are not used', async () => {
    const keys = join(folder, 'open', 'keys.json')
    mkdirSync(join(folder, 'open'))
    writeFileSync(keys, '{}', { mode: 0o644 })
    const { code, err } = await cairn(['balance'], { config: 'open' })
    expect(code).toBe(1)
    expect(err).toContain('chmod 600')
  })
})

describe('errors', () => {
  test.each([
    [['nope'], 2],
    [['upload'], 2],
    [['upload', 'hello.txt', '--nope'], 2],
    [['upload', 'hello.txt', '--cid-version', '3'], 2],
    [['info', 'nonsense'], 2],
    [['upload-link', 'new', '--label', 'a\tb'], 2],
    [['cat', 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'], 3],
    [['upload', 'not there'], 1],
    [['status', '--network', 'http://127.0.0.1:1'], 6],
    [['status', '--network', 'nowhere.json'], 3],
  ])('%j ends with %i', async (args, code) => {
    const run = await cairn(args)
    expect(run.code).toBe(code)
    expect(run.err).toContain('error:')
    expect(run.err).not.toContain('    at ')
  })

  test('they name the argument or option that is wrong', async () => {
    expect((await cairn(['get', hello, '-o', '-'])).err).toContain('Use cairn cat')
    expect((await cairn(['ls', '--search', 'no such name'])).err).toBe('No upload matches.\n')
    expect((await cairn(['ls', 'a', 'b'])).err).toContain('ls does not accept the argument "b"')
    expect((await cairn(['upload'])).err).toContain('upload requires more arguments')
    expect((await cairn(['ls', '--bogus'])).err).toContain('Unknown option --bogus')
    expect((await cairn(['ls', '--limit'])).err).toContain('--limit requires a value: <n>')
    expect((await cairn(['ls', '--long=yes'])).err).toContain('--long does not take a value')
    expect((await cairn(['wallet', 'steal'])).err).toContain('Unknown action of wallet: "steal"')
  })

  test('of files say what happened, and leave nothing half-written', async () => {
    writeFileSync(join(folder, 'plain'), '')
    const config = join('plain', 'config')
    const inFile = await cairn(['upload', 'hello.txt'], { config })
    expect(inFile.code).toBe(1)
    expect(inFile.err).toContain('A part of the path is not a folder')
    const log = 'log.jsonl'
    expect((await cairn(['events', 'export', log])).code).toBe(0)
    const again = await cairn(['events', 'export', log, '--json'])
    expect(JSON.parse(again.err)).toMatchObject({ error: { code: 'FILE_EXISTS', message: `${log} already exists` } })
    rmSync(join(folder, log))
    const refused = await cairn(['events', 'export', log], { env: { CAIRN_API_KEY: 'cairn_unknown' } })
    expect(refused.code).toBe(4)
    expect(existsSync(join(folder, log))).toBe(false)
    const file = await cairn(['events', 'export', join('hello.txt', log)])
    expect(file.err).toContain('A part of the path is not a folder')
  })

  test('for programs as JSON, with code and hint', async () => {
    const { err } = await cairn(['info', 'nonsense', '--json'])
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'INVALID_CID', message: 'Invalid CID', hint: expect.any(String) },
    })
  })

  test('Ctrl-C in the middle of an upload ends with 130 and stores nothing', async () => {
    const before = (await cairn(['ls', '--json'])).out
    const run = await new Promise<CliRun>((done, fail) => {
      const child = spawn(node[0] ?? '', [...node.slice(1), 'upload', '-', '--name', 'endless'], {
        env: {
          ...process.env,
          CAIRN_CONFIG_HOME: join(folder, 'config'),
          CAIRN_NETWORK: join(network.home, 'network.json'),
        },
      })
      let sent = 0
      const feed = () => {
        for (; child.stdin.writable && sent < 200; sent++) {
          if (!child.stdin.write(Buffer.alloc(65_536, sent))) break
        }
        // It reads, so it is under way.
        if (sent >= 200) child.kill('SIGINT')
      }
      child.stdin.on('drain', feed)
      child.stdin.on('error', () => undefined)
      feed()
      child.on('error', fail)
      child.on('close', (code) => done({ code, out: '', err: '' }))
    })
    expect(run.code).toBe(130)
    expect((await cairn(['ls', '--json'])).out).toBe(before)
  })
})

test('help, version and completion', async () => {
  expect((await cairn(['--help'])).out).toContain('upload')
  expect((await cairn(['upload', '--help'])).out).toContain('--cid-version')
  expect((await cairn(['help', 'mv'])).out).toContain('Usage: cairn rename|mv <id> <name>')
  expect((await cairn(['help', 'nope'])).code).toBe(2)
  expect((await cairn(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  for (const shell of ['bash', 'zsh', 'fish']) expect((await cairn(['completion', shell])).out).toContain('upload')
  const script = (await cairn(['completion', 'bash'])).out
  const checked = await new Promise<number | null>((done) => {
    const bash = spawn('bash', ['-n'])
    bash.on('close', done)
    bash.stdin.end(script)
  })
  expect(checked).toBe(0)
})

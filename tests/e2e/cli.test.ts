// The first call of the command line, its errors, and its help.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliRun, cliCommand } from '../run-cli.ts'
import { type CliHome, createCliHome, hello } from './cli-home.ts'

/** The command without its arguments. */
let node: string[]
let home: CliHome
beforeAll(async () => {
  node = await cliCommand()
  home = await createCliHome()
})
afterAll(() => home?.[Symbol.asyncDispose]())

test('the first upload takes one line, without any setup', async () => {
  const { network, folder, cairn } = home
  const { code, out, err } = await cairn(['upload', 'hello.txt'], { asProcess: true })
  expect(err).toContain('Created an API key')
  expect(code).toBe(0)
  expect(out).toContain(`${hello}  hello.txt  11 B`)
  expect(out).toContain(`${network.profile.gateway}/ipfs/${hello}`)
  const keys = join(folder, 'config', 'keys.json')
  expect(statSync(keys).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o700)
})

test('concurrent first commands create one key', async () => {
  const { folder, cairn } = home
  const options = { asProcess: true, config: 'fresh' }
  const runs = await Promise.all([1, 2, 3, 4].map(() => cairn(['upload', 'hello.txt'], options)))
  expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(runs.filter(({ err }) => err.includes('Created an API key'))).toHaveLength(1)
  expect(readdirSync(join(folder, 'fresh'))).toEqual(['keys.json'])
})

test.each([
  ['link', 'ls', 'No links yet.'],
  ['upload-link', 'ls', 'No upload links yet.'],
  ['webhook', 'list', 'No webhooks yet.'],
  ['payments', '', 'No payments yet.'],
])('%s %s reports an empty list to users, and prints nothing for programs', async (command, action, note) => {
  const words = [command, action].filter((word) => word !== '')
  const people = await home.cairn(words, { config: 'nothing' })
  expect([people.code, people.out, people.err]).toEqual([0, '', expect.stringContaining(note)])
  expect(await home.cairn([...words, '--json'], { config: 'nothing' })).toMatchObject({ code: 0, out: '', err: '' })
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
    [['pin', 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'], 3],
    [['import', 'cids', 'hello.txt', '--gateway', 'ipfs.io'], 2],
    [['import', 's3://pictures'], 2],
    [['status', '--network', 'http://127.0.0.1:1'], 6],
    [['status', '--network', 'nowhere.json'], 3],
  ])('%j ends with %i', async (args, code) => {
    const { cairn } = home
    const run = await cairn(args)
    expect(run.code).toBe(code)
    expect(run.err).toContain('error:')
    expect(run.err).not.toContain('    at ')
  })

  test('a pin on a service without gateways says how else to bring the content', async () => {
    const missing = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
    const { err } = await home.cairn(['pin', missing])
    expect(err).toContain('which fetches pins from no gateway [BLOCK_NOT_FOUND]')
    expect(err).toContain('run `cairn import cids`')
  })

  test('name the wrong argument or option', async () => {
    const { cairn } = home
    expect((await cairn(['import', 's3://pictures'])).err).toContain('Set AWS_REGION, or use --region.')
    const gateway = await cairn(['import', 'cids', 'hello.txt', '--gateway', 'ipfs.io'])
    expect(gateway.err).toContain('--gateway is not an http or https URL: "ipfs.io"')
    expect((await cairn(['conditions', 'check', '-'])).err).toContain('Standard input is not JSON')
    expect((await cairn(['get', hello, '-o', '-'])).err).toContain('Use cairn cat')
    expect((await cairn(['ls', '--search', 'no such name'])).err).toBe('No upload matches.\n')
    expect((await cairn(['ls', 'a', 'b'])).err).toContain('ls does not accept the argument "b"')
    expect((await cairn(['upload'])).err).toContain('upload requires more arguments')
    expect((await cairn(['ls', '--bogus'])).err).toContain('Unknown option --bogus')
    expect((await cairn(['ls', '--limit'])).err).toContain('--limit requires a value: <n>')
    expect((await cairn(['ls', '--long=yes'])).err).toContain('--long does not take a value')
    expect((await cairn(['uplaod', 'hello.txt'])).err).toContain('Did you mean cairn upload?')
    expect((await cairn(['add', 'hello.txt'])).err).toContain('Did you mean cairn upload?')
    expect((await cairn(['constructor'])).err).not.toContain('Did you mean')
    expect((await cairn(['ls', '--jsn'])).err).toContain('Did you mean --json?')
    expect((await cairn(['wallet', 'steal'])).err).toContain('Unknown action of wallet: "steal"')
  })

  test('of files say what happened, and leave nothing half-written', async () => {
    const { folder, cairn } = home
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
    expect((await cairn(['events', 'verify', 'hello.txt'])).err).toContain('Use an unchanged copy of the log')
    // With --force, a folder is created with its parents, but a file is not.
    for (const args of [[], ['--force']]) {
      const nowhere = await cairn(['get', hello, '-o', join('no', 'folder'), ...args])
      expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('error: The folder no does not exist')])
    }
    expect((await cairn(['upload', ''])).err).toContain('An argument of upload is empty')
  })

  test('report a file that is larger than the system allows', async () => {
    const { folder, network, cairn } = home
    writeFileSync(join(folder, 'large'), Buffer.alloc(2_000_000, 7))
    const cid = (await cairn(['upload', 'large', '-q'])).out.trim()
    const command = ['-c', 'ulimit -f 100; exec "$@"', 'bash', ...node, 'get', cid, '-o', 'limited']
    const run = await new Promise<{ code: number | null; err: string }>((done, fail) => {
      const child = spawn('bash', command, {
        cwd: folder,
        env: {
          ...process.env,
          CAIRN_CONFIG_HOME: join(folder, 'config'),
          CAIRN_NETWORK: join(network.home, 'network.json'),
        },
      })
      let err = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text
      })
      child.on('error', fail)
      child.on('close', (code) => done({ code, err }))
    })
    expect([run.code, run.err]).toEqual([1, expect.stringContaining('(EFBIG)')])
    expect(existsSync(join(folder, 'limited'))).toBe(false)
  })

  test('are JSON for programs, with code and hint', async () => {
    const { cairn } = home
    const { err } = await cairn(['info', 'nonsense', '--json'])
    expect(JSON.parse(err)).toMatchObject({
      error: { code: 'INVALID_CID', message: 'Invalid CID', hint: expect.any(String) },
    })
  })

  test('Ctrl-C in the middle of an upload ends with 130 and stores nothing', async () => {
    const { network, folder, cairn } = home
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
        // It reads, so it is in progress.
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

test('prints help, version and completion', async () => {
  const { cairn } = home
  expect((await cairn(['--help'])).out).toContain('upload')
  expect((await cairn(['upload', '--help'])).out).toContain('--cid-version')
  expect((await cairn(['help', 'mv'])).out).toContain('Usage: cairn rename|mv <id> <name>')
  expect((await cairn(['help', 'nope'])).code).toBe(2)
  const asJson = { name: 'rename', usage: '<id> <name>' }
  expect(JSON.parse((await cairn(['help', 'mv', '--json'])).out)).toEqual(asJson)
  expect(JSON.parse((await cairn(['mv', '--help', '--json'])).out)).toEqual(asJson)
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

import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { CairnError, restoreError } from '@cairn/sdk'
import { afterAll, expect, test } from 'vitest'
import { commands } from './commands.ts'
import { describeUnreachable } from './describe-failure.ts'
import { readEnvironment } from './environment.ts'
import { exitCodeOf } from './exit-codes.ts'
import { describeAll, globalOptions } from './help.ts'
import { endsWithOutput, run, splitCommand } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command line without a terminal, and returns its exit code and what it printed. */
const cairn = (...argv: string[]) => cairnUntil(new AbortController().signal, ...argv)

/** The same, of a command that a signal stops. */
async function cairnUntil(signal: AbortSignal, ...argv: string[]) {
  const printed = { stdout: '', stderr: '' }
  const sink = (name: keyof typeof printed) =>
    new Writable({
      write(chunk, _encoding, done) {
        printed[name] += String(chunk)
        done()
      },
    })
  const environment = readEnvironment({ CAIRN_CONFIG_HOME: folder })
  const streams = { stdin: Readable.from([]), stdout: sink('stdout'), stderr: sink('stderr') }
  const code = await run(argv, environment, streams, signal)
  return { code, ...printed }
}

test.each([
  [['ls', '--json'], 'ls', ['--json']],
  [['--json', 'ls', '-l', '2'], 'ls', ['--json', '-l', '2']],
  [['--network', 'x.json', '-q', 'get', 'cid'], 'get', ['--network', 'x.json', '-q', 'cid']],
  [['--network=x.json', 'ls'], 'ls', ['--network=x.json']],
  [['--help'], '--help', []],
  [['--json', '--version'], '--version', ['--json']],
  [['--nope', 'ls'], '--nope', ['ls']],
  [[], '', []],
  [['--network'], '', ['--network']],
])('the command of %j is %s', (argv, name, rest) => expect(splitCommand(argv)).toEqual({ name, rest }))

test.each([
  [['ls', '--limit', '5'], true],
  [['watch', '--json'], true],
  [['keys', 'log', '--follow'], true],
  [['keys', '--network', 'http://127.0.0.1', 'log', '-f'], true],
  [['--json', 'keys', '--limit', '5', 'log'], true],
  [['keys', 'rotate', 'log'], false],
  [['keys'], false],
  [['upload', 'ls'], false],
  [['nope'], false],
])('whether %j only prints: %s', (argv, ends) => expect(endsWithOutput(argv)).toBe(ends))

test.each(['x'.repeat(5000), `${'"\n\u0000$&'.repeat(900)}`])(
  'errors quote the first 100 characters of an argument',
  async (long) => {
    const lines: string[][] = [
      [long],
      ['ls', long],
      ['rm', long],
      ['get', long],
      ['ls', `--${long}`],
      ['ls', `--limit=${long}`],
    ]
    for (const line of lines) {
      for (const argv of [line, [...line, '--json']]) {
        const { code, stderr } = await cairn(...argv)
        expect(code, stderr).not.toBe(0)
        expect(stderr.length, stderr.slice(0, 300)).toBeLessThan(1500)
        if (argv.includes('--json')) expect(JSON.parse(stderr)).toHaveProperty('error.code')
      }
    }
    expect((await cairn('y'.repeat(101))).stderr).toContain(`"${'y'.repeat(100)}…"`)
    expect((await cairn('y'.repeat(100))).stderr).toContain(`"${'y'.repeat(100)}"`)
  },
)

test('names are unique, and no option of a command hides a global one', () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
  const shorts = Object.values(globalOptions).flatMap((option) => ('short' in option ? [option.short] : []))
  for (const { options = {} } of commands) {
    for (const [long, { short }] of Object.entries(options)) {
      expect(Object.keys(globalOptions)).not.toContain(long)
      if (short !== undefined) expect(shorts).not.toContain(short)
    }
  }
})

test('the argument limits match those of the actions', () => {
  for (const { words = [], maxArguments = {}, arity } of commands) {
    for (const [action, most] of Object.entries(maxArguments)) {
      expect(words).toContain(action)
      expect(most).toBeLessThan(arity[1])
    }
  }
})

test.each([
  ['USAGE', 2],
  ['BLOCK_NOT_FOUND', 3],
  ['API_KEY_REVOKED', 4],
  ['QUOTA_EXCEEDED', 5],
  ['UNAVAILABLE', 6],
  ['CID_MISMATCH', 7],
  ['ABORTED', 130],
  ['FILE_EXISTS', 1],
] as const)('%s ends with %i', (code, exit) => expect(exitCodeOf(restoreError(code))).toBe(exit))

test('an unknown error ends with 1', () => expect(exitCodeOf(new Error('x'))).toBe(1))

test('the list of commands separates every name from its description', () => {
  const lines = describeAll(commands).split('\n')
  for (const { name, summary } of commands)
    expect(lines.filter((line) => line.startsWith(`  ${name}  `) && line.endsWith(`  ${summary}`))).toHaveLength(1)
})

const cid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

test.each([
  [['ls', '--limit', '0'], '--limit must be a whole number', 'Run cairn ls --help for usage.'],
  [['upload', 'x', '--cid-version', '3'], '--cid-version must be 0 or 1', 'Run cairn upload --help for usage.'],
  [['upload', 'x', '--mime', 'no thing'], '--mime is not a media type: "no thing"', 'Use a type such as image/png'],
  [
    ['upload', 'x', '--link', 'http://127.0.0.1/', '--mime', 'text'],
    '--mime is not a media type: "text"',
    'Use a type',
  ],
  [['upload', '-', '--link', 'http://127.0.0.1/'], '--link supports files, not -', 'A file of this name is ./-'],
  [['upload', 'x', '--car', '--wrap'], '--car and --wrap cannot be combined', 'as they are'],
  [['verify', 'bafy', '--full', '--offline'], '--full and --offline cannot be combined', 'Run cairn verify --help'],
  [['get', ''], 'An argument of get is empty', 'Usage: cairn get <cid[/path]|name[/path]>'],
  [['drive', 'mkdir', ''], 'An argument of drive is empty', 'Check the variable that it comes from.'],
  [['get', 'bafy', '-o', ''], '-o is empty: <path>', 'Run cairn get --help for usage.'],
  [['upload', 'x', '--encrypt', '--share', ''], '--share is empty: <addresses>', 'Run cairn upload --help for usage.'],
  [['ls', '--network='], '--network is empty: <where>', 'Run cairn ls --help for usage.'],
  [['drive', 'empty', 'letters', '--yes'], 'drive empty does not accept the argument "letters"', 'Usage: cairn drive'],
  [
    ['drive', 'contact', '0x1', 'Aunt', 'Ida'],
    'drive contact does not accept the argument "Ida"',
    'Usage: cairn drive',
  ],
  [['drive', 'ls', 'letters', '--trash'], 'drive ls --trash lists the trash of all folders', 'Omit the folder.'],
  [['link', 'ls', 'x'], 'link ls does not accept the argument "x"', 'Run cairn link --help'],
  [['gateway-link', cid, '--expires', '8d'], '--expires must be from 1s to 7d: "8d"', 'Run cairn gateway-link --help'],
  [
    ['upload-link', 'new', '--expires', '400d'],
    '--expires must be from 1s to 366d: "400d"',
    'cairn upload-link --help',
  ],
  [['link', 'create', cid, '--expires', '0s'], '--expires must be from 1s to 366d: "0s"', 'Run cairn link --help'],
  [['link', 'create', cid, '--password'], 'No terminal is available', 'Use --password-stdin.\n'],
  [
    ['name', 'publish', 'x', cid, '--lifetime', '5s'],
    '--lifetime must be from 1m to 365d: "5s"',
    'Run cairn name --help',
  ],
  [['name', 'publish', 'x', cid, '--ttl', '30d'], '--ttl must be from 0s to 7d: "30d"', 'Run cairn name --help'],
  [['status', 'x'], 'status does not accept the argument "x"', 'Usage: cairn status. Run cairn status --help'],
  [
    ['drive', 'ls', '--off'],
    'drive ls does not take --off',
    'It is an option of cairn drive star, cairn drive tag, cairn drive colour, cairn drive contact.',
  ],
  [['upload', 'x', '--name', 'a/b'], '--name must not contain "/": "a/b"', 'Use --wrap'],
  [['name', 'create', cid], 'is not a valid label', 'must not be a name or a CID'],
  [['rename', cid, 'x'], 'takes the id', 'cairn ls --long'],
  [['webhook', 'create'], 'webhook create requires a URL', 'Run cairn webhook create https://'],
  [['conditions', 'template', 'erc20', '--at-least', 'x'], '--at-least must be a whole number: "x"', 'smallest unit'],
  [['conditions', 'template', 'toString'], 'Unknown template toString', 'Use one of balance, '],
  [['help', 'upload', 'x'], 'help does not accept the argument "x"', 'Run cairn help upload.'],
  [['--help', 'drive', 'ls', 'x'], 'help does not accept the argument "x"', 'Run cairn help drive.'],
  [['help', '--nope'], 'Unknown option --nope', 'Run cairn help --help for usage.'],
  [['-v'], 'Unknown option -v', 'Run cairn --help for a list of commands.'],
  [['api-key', 'import'], 'No terminal is available', 'Use --api-key-file or --password-stdin.'],
])('%j is an error that names the option and the help', async (argv, message, hint) => {
  const { code, stdout, stderr } = await cairn(...argv)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain(hint)
})

test('reports a service that cannot be reached with the reason', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  server.close()
  await once(server, 'close')
  const { code, stderr } = await cairn('status', '--network', `http://127.0.0.1:${port}`)
  expect([code, stderr]).toEqual([6, expect.stringContaining(`Cannot reach 127.0.0.1 on port ${port} (ECONNREFUSED)`)])
})

test('reports https at a server without TLS, and a rejected certificate, with what to do', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const { code, stderr } = await cairn('status', '--network', `https://127.0.0.1:${port}`)
  server.close()
  expect([code, stderr]).toEqual([6, expect.stringContaining('No secure connection to the server (')])
  expect(stderr).toContain('http:// or https://')

  const rejected = (text: string, codeOfTls: string) => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(text), { code: codeOfTls }) })
    return describeUnreachable(new CairnError('NETWORK_ERROR', { cause }))
  }
  expect(rejected('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')).toMatchObject({
    code: 'NETWORK_ERROR',
    message: 'The certificate of the server was rejected: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)',
    hint: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
  })
  expect(rejected('Host: a.', 'ERR_TLS_CERT_ALTNAME_INVALID').message).toContain('is for another name: Host: a.')
})

test('an import of a missing folder is reported as such, and not as a damaged export', async () => {
  const there = await cairn('import', folder)
  expect([there.code, there.stderr]).toEqual([7, expect.stringContaining('has no manifest.json')])
  const missing = await cairn('import', join(folder, 'none'))
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('Cannot read')])
})

test('a verification of events can be stopped', async () => {
  const path = join(folder, 'events.jsonl')
  const signer = 'did:key:z6MkvRXNYcE7MMduynWTgeKbDaT1iijDSC8pZqXZc8rHPrf2'
  const head = { format: 'cairn-event-log/1', network: 'local', address: '0xabc', signer }
  const seal = {
    count: 0,
    lastCursor: '7',
    hash: '8bb6fb58fb5942483544c845f14b472340cc9a0611177f3eb295dfe8b7a88bca',
    signature: 'aufVqxx1gbPLEjVz8R_PYAms_aGYOdKautGtfzc89MIobwjXy4Isl5SWRlBe2CN6YxS-IWaV-XYDJekkHJ3fBQ',
  }
  const lines = [{ ...head, createdAt: '2026-01-31T12:00:00.000Z' }, seal]
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const line = ['events', 'verify', path, '--signer', signer]
  expect(await cairn(...line)).toMatchObject({ code: 0, stdout: expect.stringContaining('0 events of 0xabc') })
  expect(await cairnUntil(AbortSignal.abort(), ...line)).toEqual({ code: 130, stdout: '', stderr: '' })
})

test('an import reports how many uploads each list beside the CARs contains', async () => {
  const cars = mkdtempSync(join(folder, 'cars-'))
  writeFileSync(join(cars, 'roots.csv'), `cid,name\n${cid},one\n`)
  writeFileSync(join(cars, 'uploads.txt'), `${cid}\n${cid}\n`)
  const { stderr } = await cairn('import', 'cars', cars, '--dry-run', '--network', join(folder, 'none.json'))
  expect(stderr).toContain(`${join(cars, 'roots.csv')} lists 1 upload\n`)
  expect(stderr).toContain(`${join(cars, 'uploads.txt')} lists 2 uploads\n`)
})

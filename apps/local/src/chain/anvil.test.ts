import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findAnvil, startAnvil } from './anvil.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-anvil-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const options = () => ({ host: '127.0.0.1', port: 0, chainId: 31337, stateFile: join(folder, 'state.json') })

/** A small substitute for anvil: prints its address, then runs the code of the test. */
function writeProgram(body: string): string {
  const path = join(folder, 'program.mjs')
  const lines = [
    `#!${process.execPath}`,
    `import { existsSync, writeFileSync, writeSync } from 'node:fs'`,
    `const file = (name) => ${JSON.stringify(`${folder}/`)} + name`,
    `writeFileSync(file('pid'), String(process.pid))`,
    body,
    // A blocking write, as in the real anvil: it stalls on a full pipe.
    `writeSync(1, 'Listening on 127.0.0.1:1\\n')`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  chmodSync(path, 0o755)
  return path
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const pidOfProgram = () => Number(readFileSync(join(folder, 'pid'), 'utf8'))
const ignoresSigterm = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)`

test('later output never stops it', async () => {
  const program = writeProgram(`const wait = setInterval(() => {
    if (!existsSync(file('go'))) return
    clearInterval(wait)
    for (let count = 1; count <= 200_000; count++) writeSync(1, 'eth_blockNumber\\n')
    writeFileSync(file('counted'), '200000')
    setInterval(() => {}, 1_000)
  }, 10)`)
  const start = new AbortController()
  await using _anvil = await startAnvil(program, { ...options(), signal: start.signal })
  // Like the time limit of the start, which shares the signal: neither may stop the reading of later output.
  start.abort()
  writeFileSync(join(folder, 'go'), '')
  await expect.poll(() => existsSync(join(folder, 'counted')), { timeout: 60_000 }).toBe(true)
}, 120_000)

test('is killed when it does not exit by itself', async () => {
  {
    await using _anvil = await startAnvil(writeProgram(ignoresSigterm), options())
    expect(isAlive(pidOfProgram())).toBe(true)
  }
  expect(isAlive(pidOfProgram())).toBe(false)
})

test('exits when the process that started it is killed, even if it hangs', async () => {
  const script = `import { startAnvil } from ${JSON.stringify(join(import.meta.dirname, 'anvil.ts'))}
await startAnvil(${JSON.stringify(writeProgram(ignoresSigterm))}, ${JSON.stringify(options())})
console.log('started')
setInterval(() => {}, 1_000)`
  const parent = spawn(process.execPath, ['--conditions=@cairn/source', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(parent.stdout, 'data')
  const pid = pidOfProgram()
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a cancelled start leaves no process', async () => {
  const stop = new AbortController()
  // It never prints its address.
  const program = writeProgram(
    `writeFileSync(file('started'), ''); await new Promise(() => setInterval(() => {}, 1_000))`,
  )
  const starting = startAnvil(program, { ...options(), signal: stop.signal })
  starting.catch(() => undefined)
  await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true)
  stop.abort(new Error('given up'))
  await expect(starting).rejects.toThrow('given up')
  expect(isAlive(pidOfProgram())).toBe(false)
})

test('a program that exits immediately is reported with its output', async () => {
  const program = writeProgram(`console.error('no such state'); process.exit(1)`)
  await expect(startAnvil(program, options())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The local chain did not start: no such state',
  })
})

test('fails on a machine without a package for it, unless the PATH has it', () => {
  expect(findAnvil('', 'win32-x64')).toBeUndefined()
  writeFileSync(join(folder, 'anvil'), '')
  chmodSync(join(folder, 'anvil'), 0o755)
  expect(findAnvil(folder, 'darwin-arm64')).toBe(join(folder, 'anvil'))
})

test('does not take a folder of its name in the PATH for the program', () => {
  const source = join(folder, 'source')
  mkdirSync(join(source, 'anvil'), { recursive: true })
  expect(findAnvil(source, 'win32-x64')).toBeUndefined()
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'anvil'), '')
  chmodSync(join(programs, 'anvil'), 0o755)
  expect(findAnvil([source, programs].join(delimiter), 'win32-x64')).toBe(join(programs, 'anvil'))
})

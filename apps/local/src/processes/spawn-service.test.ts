import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServiceOptions, spawnService } from './spawn-service.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-spawn-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function options(body: string): ServiceOptions {
  const program = join(home, 'service.mjs')
  writeFileSync(program, `${body}\nsetInterval(() => {}, 1_000)\n`)
  return { name: 'key node 1', program, environment: {}, home, stopTimeoutMs: 100 }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const ready = `process.send({ url: 'http://127.0.0.1:1' })`

test('kills a service that hangs past its time limit', async () => {
  const service = await spawnService(options(ready))
  process.kill(service.pid, 'SIGSTOP')
  await service[Symbol.asyncDispose]()
  expect(isAlive(service.pid)).toBe(false)
})

test('a service that hangs does not outlive the process that started it', async () => {
  const script = `import { spawnService } from ${JSON.stringify(join(import.meta.dirname, 'spawn-service.ts'))}
const service = await spawnService(${JSON.stringify(options(ready))})
process.kill(service.pid, 'SIGSTOP')
process.stdout.write(String(service.pid), () => process.exit(1))`
  const file = join(home, 'parent.mjs')
  writeFileSync(file, script)
  const parent = spawn(process.execPath, ['--conditions=@cairn/source', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(parent, 'exit')
  const [received]: unknown[] = await once(parent.stdout, 'data')
  await exit
  const pid = Number(String(received))
  expect(pid).toBeGreaterThan(0)
  await expect.poll(() => isAlive(pid)).toBe(false)
})

test('a cancelled start leaves no process', async () => {
  const stop = new AbortController()
  const starting = spawnService({ ...options(`process.title = 'silent'`), signal: stop.signal })
  starting.catch(() => undefined)
  stop.abort(new Error('given up'))
  await expect(starting).rejects.toThrow('given up')
})

test('a failed start reports the output of the service', async () => {
  const failing = options(`process.stderr.write('no such folder'); process.exit(1)`)
  await expect(spawnService(failing)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The key node 1 did not start: no such folder',
  })
})

test('shows a cause that several services share once, with the remedy', async () => {
  const failing = options(`process.stderr.write('The disk is full\\nFree some space.\\n'); process.exit(1)`)
  const script = `import { explainFailure } from ${JSON.stringify(join(import.meta.dirname, '../../../../packages/service/src/index.ts'))}
import { spawnService } from ${JSON.stringify(join(import.meta.dirname, 'spawn-service.ts'))}
const failing = ${JSON.stringify(failing)}
const [first] = await Promise.allSettled([spawnService(failing), spawnService(failing), spawnService(failing)])
process.stderr.write(explainFailure(first.reason) + '\\n', () => process.exit(1))`
  expect(await readErrors(script)).toBe('The key node 1 did not start: The disk is full\nFree some space.\n')
})

test('shows what a service prints during and after its start', async () => {
  const warning = options(`process.stderr.write('first\\n', () => { ${ready} })
process.on('SIGTERM', () => process.stderr.write('second\\n', () => process.exit()))`)
  const script = `import { spawnService } from ${JSON.stringify(join(import.meta.dirname, 'spawn-service.ts'))}
const service = await spawnService({ ...${JSON.stringify(warning)}, stopTimeoutMs: 5000 })
await service[Symbol.asyncDispose]()`
  expect(await readErrors(script)).toBe('first\nsecond\n')
})

/** Runs a program that starts services, and returns what its user sees on standard error. */
async function readErrors(script: string): Promise<string> {
  const file = join(home, 'parent.mjs')
  writeFileSync(file, script)
  const parent = spawn(process.execPath, ['--conditions=@cairn/source', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  return `${Buffer.concat(await Array.fromAsync(parent.stderr))}`
}

// A provider is killed at its n-th write, sync, rename, …, while it fetches one piece; what it reported must stay true.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesOf, cidOf, startTestSource, type TestSource } from '../../services/provider/src/test-provider.fixture.ts'
import { programEnvironment } from '../program-environment.ts'
import { choosePoints, countCalls } from './count-calls.ts'
import { inPairs } from './in-pairs.ts'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)
const node = [process.execPath, '--conditions=@cairn/source', join(import.meta.dirname, 'pull-program.ts')]
const calls = ['pwrite64', 'fdatasync', 'fsync', 'rename', 'link', 'unlink', 'ftruncate']
/** Every how many of the points of a call is tried; `CAIRN_TEST_CRASH_POINTS=1` tries all of them. */
const step = Number(process.env['CAIRN_TEST_CRASH_POINTS'] ?? 9)

let folder = ''
let source: TestSource
let cid = ''
const payload = bytesOf(700_000)

beforeAll(async () => {
  requireProgram('strace', 'strace')
  folder = await mkdtemp(join(tmpdir(), 'cairn-pull-'))
  source = await startTestSource()
  cid = await cidOf(payload)
  // Its tables exist, so the trace contains only the fetch of a piece.
  await run(node[0] ?? '', [...node.slice(1), join(folder, 'prepared'), source.url, cid])
})
afterAll(async () => {
  await source?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Fetches the piece, traced. Returns what the provider reported before it was killed. */
async function pull(home: string, url: string, ...strace: string[]): Promise<string[]> {
  await cp(join(folder, 'prepared'), home, { recursive: true })
  const traced = ['-f', '-qq', `--trace=${calls.join(',')}`, ...strace]
  const env = { ...programEnvironment, UV_THREADPOOL_SIZE: '1' }
  try {
    const { stdout } = await run('strace', [...traced, ...node, home, source.url, cid, url], { env })
    return stdout.split('\n')
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? `${error.stdout}`.split('\n') : []
  }
}

async function countPoints(): Promise<[string, number][]> {
  const trace = join(folder, 'trace')
  expect(await pull(join(folder, 'counted'), source.put('/counted', payload), '-o', trace)).toContain('kept')
  return choosePoints(await countCalls(trace), { calls, allUpTo: Infinity, step: 1 })
}

test('a provider killed at any call to the disk keeps what it acknowledged, and nothing half-written', async () => {
  const points = await countPoints()
  expect(points.length).toBeGreaterThan(20)
  if (process.env['CAIRN_TEST_CRASH_POINTS']) console.log(`${points.length} points`)
  // A random start, so that all of them are tried over time.
  const first = Math.floor(Math.random() * step)
  const ended: string[] = []
  const tried = points.filter((_point, at) => at % step === first)
  await inPairs(tried, async ([call, nth]) => {
    const name = `${call}-${nth}`
    const home = join(folder, name)
    const url = source.put(`/${name}`, payload)
    const countRequests = () => source.requests.filter((request) => request.url === `/${name}`).length
    const output = await pull(home, url, '-e', `inject=${call}:signal=SIGKILL:when=${nth}`)
    if (!output.includes('kept')) ended.push(name)
    const asked = countRequests()
    const { stdout } = await run(node[0] ?? '', [...node.slice(1), home, source.url, cid, url])
    const [was = '', ...rest] = stdout.split('\n')
    expect(rest, name).toContain('kept')
    if (output.includes('kept')) {
      expect(was, name).toBe('was kept')
      expect(countRequests(), name).toBe(asked)
    } else if (output.includes('taken')) {
      expect(['was queued', 'was pulling', 'was kept'], name).toContain(was)
    }
    const kept = join(home, 'pieces', cid.slice(-2))
    expect((await readFile(join(kept, `${cid}.payload`))).equals(payload), name).toBe(true)
    expect((await readdir(kept)).sort(), name).toEqual([`${cid}.payload`, `${cid}.tree`])
    expect(await readdir(join(home, 'parts')), name).toEqual([])
    await rm(home, { recursive: true, force: true })
  })
  // Some points come after the last report; most must have killed it.
  expect(ended.length).toBeGreaterThan(0)
})

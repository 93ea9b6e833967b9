import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findBroken } from '../faults/place.ts'
import { programEnvironment } from '../program-environment.ts'
import { choosePoints, countCalls } from './count-calls.ts'
import { inPairs } from './in-pairs.ts'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, '../faults/store-program.ts')
const node = [process.execPath, '--conditions=@cairn/source', program]
/** The calls through which an upload reaches the disk: of the file's thread and of SQLite's. */
const calls = ['pwrite64', 'pwritev', 'fdatasync', 'fsync', 'rename', 'link', 'mkdir', 'ftruncate', 'unlink']
/** SQLite writes its log in many small, similar pieces: after the first few, every fourth is tried. */
const allUpTo = 8
const step = 4

let folder = ''
let prepared = ''
let firstCid = ''
let points: [string, number][] = []
let errorPoints: [string, number][] = []

/** Runs one upload under strace in a copy of the prepared folder. */
async function upload(name: string, ...strace: string[]): Promise<{ place: string; output: string }> {
  const place = join(folder, name)
  await cp(prepared, place, { recursive: true })
  const traced = ['-f', '-qq', `--trace=${calls.join(',')}`, ...strace]
  const env = { ...programEnvironment, UV_THREADPOOL_SIZE: '1' }
  try {
    const { stdout } = await run('strace', [...traced, ...node, place, 'one', '2'], { env })
    return { place, output: stdout }
  } catch (error) {
    const stdout = error instanceof Error && 'stdout' in error ? `${error.stdout}` : ''
    return { place, output: stdout }
  }
}

beforeAll(async () => {
  requireProgram('strace', 'strace')
  folder = await mkdtemp(join(tmpdir(), 'cairn-crash-'))
  prepared = join(folder, 'prepared')
  const { stdout } = await run(node[0] ?? '', [...node.slice(1), prepared, 'one', '1'])
  firstCid = stdout.trim().split(' ')[1] ?? ''
  const trace = join(folder, 'trace')
  const { output } = await upload('counted', '-o', trace)
  expect(output).toMatch(/^ack /)
  points = choosePoints(await countCalls(trace), { calls, allUpTo, step })
  errorPoints = points.filter(([call]) => call !== 'mkdir')
}, 60_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

test('an upload killed at any of its system calls is there if it was acknowledged, and otherwise leaves nothing', async () => {
  const broken: string[] = []
  let killed = 0
  expect(points.length).toBeGreaterThan(15)
  await inPairs(points, async ([call, at]) => {
    const { place, output } = await upload(
      `kill-${call}-${at}`,
      '-o',
      '/dev/null',
      `--inject=${call}:signal=KILL:when=${at}`,
    )
    const acknowledged = [...output.matchAll(/^ack (\S+)/gm)].map(([, cid]) => cid ?? '')
    if (acknowledged.length === 0) killed++
    for (const what of await findBroken(place, [firstCid, ...acknowledged])) broken.push(`${call} ${at}: ${what}`)
    await rm(place, { recursive: true, force: true })
  })
  expect(broken).toEqual([])
  // A tracer that kills nothing would find nothing broken.
  expect(killed).toBeGreaterThan(points.length / 2)
})

test.each(['ENOSPC', 'EIO'])(
  'a system call that fails with %s is an error with a code, and nothing acknowledged is lost',
  async (errno) => {
    const broken: string[] = []
    const codes = new Set<string>()
    const half = errorPoints.filter(
      (_, at) => at % 2 === (errno === 'EIO' ? 0 : 1) || errorPoints[at]?.[0].startsWith('f'),
    )
    await inPairs(half, async ([call, at]) => {
      const { place, output } = await upload(
        `${errno}-${call}-${at}`,
        '-o',
        '/dev/null',
        `--inject=${call}:error=${errno}:when=${at}`,
        // Half the time: other calls are not stopped at. A signal is not delivered with it.
        '--seccomp-bpf',
      )
      const acknowledged = [...output.matchAll(/^ack (\S+)/gm)].map(([, cid]) => cid ?? '')
      for (const [, code] of output.matchAll(/^error (.*)/gm)) codes.add(code ?? '')
      for (const what of await findBroken(place, [firstCid, ...acknowledged])) broken.push(`${call} ${at}: ${what}`)
      await rm(place, { recursive: true, force: true })
    })
    expect(broken).toEqual([])
    const known = ['STORAGE_FULL', 'STORAGE_FAILED', 'UNAVAILABLE']
    expect([...codes].filter((code) => !known.includes(code))).toEqual([])
    expect(codes).toContain(errno === 'ENOSPC' ? 'STORAGE_FULL' : 'STORAGE_FAILED')
  },
)

// Merging of small packs, killed at each of its calls to the disk: every file stays complete, in one object or the other, and
// the next round completes the merge. Needs `strace`.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeAllDoomed } from '../../services/storage/src/objects/doomed-objects.ts'
import { generate } from '../faults/generate.ts'
import { findBroken, openPlace } from '../faults/place.ts'
import { storeFile } from '../faults/store-file.ts'
import { programEnvironment } from '../program-environment.ts'
import { choosePoints, countCalls } from './count-calls.ts'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)
const program = [process.execPath, '--conditions=@cairn/source', join(import.meta.dirname, 'merge-program.ts')]
const calls = ['pwrite64', 'pwritev', 'fdatasync', 'fsync', 'rename', 'link', 'unlink', 'ftruncate', 'mkdir']
/** SQLite writes its log in many similar pieces: after the first few, every sixth is tried. */
const allUpTo = 8
const step = 6
const fileCount = 34

let folder = ''
let prepared = ''
const cids: string[] = []
let points: [string, number][] = []

/** Merges in a copy of the prepared folder, under strace. */
async function merge(name: string, ...strace: string[]): Promise<{ place: string; output: string }> {
  const place = join(folder, name)
  await cp(prepared, place, { recursive: true })
  const traced = ['-f', '-qq', `--trace=${calls.join(',')}`, ...strace]
  const env = { ...programEnvironment, UV_THREADPOOL_SIZE: '1' }
  try {
    return { place, output: (await run('strace', [...traced, ...program, place], { env })).stdout }
  } catch (error) {
    return { place, output: error instanceof Error && 'stdout' in error ? `${error.stdout}` : '' }
  }
}

beforeAll(async () => {
  requireProgram('strace', 'strace')
  folder = await mkdtemp(join(tmpdir(), 'cairn-merge-'))
  prepared = join(folder, 'prepared')
  {
    await using place = await openPlace(prepared)
    for (let seed = 0; seed < fileCount; seed++) cids.push(`${await storeFile(place, generate(2000 + seed, seed))}`)
  }
  const trace = join(folder, 'trace')
  expect((await merge('counted', '-o', trace)).output).toBe(`merged ${fileCount}\n`)
  points = choosePoints(await countCalls(trace), { calls, allUpTo, step })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a merge killed anywhere leaves every file complete, and the next round merges the rest', async () => {
  expect(points.length).toBeGreaterThan(15)
  let killed = 0
  const broken: string[] = []
  const tryAll = async (some: readonly [string, number][]): Promise<void> => {
    for (const [call, at] of some) {
      const kill = ['-o', '/dev/null', `--inject=${call}:signal=KILL:when=${at}`]
      const { place, output } = await merge(`at-${call}-${at}`, ...kill)
      if (output === '') killed++
      for (const what of await findBroken(place, cids)) broken.push(`${call} ${at}: ${what}`)
      await run(program[0] ?? '', [...program.slice(1), place], { env: programEnvironment })
      {
        await using opened = await openPlace(place)
        const clock = { now: () => Date.now() + 3 * 86_400_000 }
        await removeAllDoomed({ ...opened, clock })
        const own = await opened.db.read
          .selectFrom('pack')
          .select('id')
          .where('merged_id', 'is', null)
          .where('is_merged', '=', 0)
          .where('state', '=', 'live')
          .execute()
        if (own.length > 0) broken.push(`${call} ${at}: ${own.length} packs are not merged`)
      }
      for (const what of await findBroken(place, cids)) broken.push(`${call} ${at}, after the next round: ${what}`)
      await rm(place, { recursive: true, force: true })
    }
  }
  // Two at a time, because there are two cores.
  await Promise.all([0, 1].map((lane) => tryAll(points.filter((_, index) => index % 2 === lane))))
  expect(broken).toEqual([])
  // A tracer that kills nothing would find nothing broken.
  expect(killed).toBeGreaterThan(points.length / 2)
}, 900_000)

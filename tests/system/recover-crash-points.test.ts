// The command that recovers packs after a lost database, killed at each of its calls to the disk: the same command completes
// its work. Needs `strace`.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readFile as readUnixfs } from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../services/storage/src/config.ts'
import { openDatabase } from '../../services/storage/src/db/database.ts'
import { checkStore, recoverStore } from '../../services/storage/src/maintenance/maintain.ts'
import { openStore } from '../../services/storage/src/maintenance/open-store.ts'
import { comparePacks, recoverPacks } from '../../services/storage/src/packs/packs.ts'
import { programEnvironment } from '../program-environment.ts'
import { choosePoints, countCalls } from './count-calls.ts'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)
const node = [process.execPath, '--conditions=@cairn/source']
const owner = `0x${'ab'.repeat(20)}`
const calls = ['pwrite64', 'pwritev', 'fdatasync', 'fsync', 'rename', 'link', 'unlink', 'ftruncate', 'mkdir']
/** SQLite writes its log in many similar pieces: after the first few, every twelfth is tried. */
const allUpTo = 8
const step = 12

let folder = ''
let prepared = ''
const cids: string[] = []
let points: [string, number][] = []

beforeAll(async () => {
  requireProgram('strace', 'strace')
  folder = await mkdtemp(join(tmpdir(), 'cairn-recover-'))
  prepared = join(folder, 'prepared')
  // Two packs whose database, `cairn.sqlite`, is not the one that the command opens.
  for (const seed of ['1', '2']) {
    const store = join(import.meta.dirname, '..', 'faults', 'store-program.ts')
    const { stdout } = await run(node[0] ?? '', [...node.slice(1), store, prepared, 'one', seed])
    cids.push(stdout.trim().split(' ')[1] ?? '')
  }
  await (await openDatabase({ kind: 'sqlite', path: join(prepared, 'storage.sqlite') })).close()
  const trace = join(folder, 'trace')
  expect((await recover('counted', '-o', trace)).output).toBe('done\n')
  points = choosePoints(await countCalls(trace), { calls, allUpTo, step })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the command under strace in a copy of the prepared folder. */
async function recover(name: string, ...strace: string[]): Promise<{ home: string; output: string }> {
  const home = join(folder, name)
  await cp(prepared, home, { recursive: true })
  const program = [...node, join(import.meta.dirname, 'recover-program.ts'), home, owner]
  const traced = ['-f', '-qq', `--trace=${calls.join(',')}`, ...strace]
  try {
    const env = { ...programEnvironment, UV_THREADPOOL_SIZE: '1' }
    return { home, output: (await run('strace', [...traced, ...program], { env })).stdout }
  } catch (error) {
    return { home, output: error instanceof Error && 'stdout' in error ? `${error.stdout}` : '' }
  }
}

/** Runs the same command again and checks the result. */
async function finish(home: string, where: string): Promise<void> {
  const config = readConfig({ CAIRN_HOME: home })
  expect(await recoverStore(config, { takeOver: true, owner }, () => undefined), where).toEqual({ isWell: true })
  const findings: string[] = []
  await checkStore(config, { readData: 1 }, (_json, text) => findings.push(text))
  expect(findings, where).toEqual(['The database matches the packs.'])
  await using store = await openStore(config, 'change')
  // The next start finds nothing to do.
  expect(await comparePacks(store), where).toEqual({ unnamed: [], missing: [], returned: [] })
  expect(await recoverPacks(store), where).toMatchObject({ abandonedPacks: 0 })
  const listed = await store.db.read.selectFrom('upload').select(['cid', 'size_bytes']).execute()
  expect(listed.map(({ cid }) => cid).toSorted(), where).toEqual(cids.toSorted())
  for (const { cid, size_bytes: sizeBytes } of listed) {
    let read = 0
    for await (const piece of readUnixfs(store.packs.openReader(), CID.parse(cid))) read += piece.length
    expect(read, where).toBe(sizeBytes)
  }
}

test('a recovery killed anywhere can be completed by the same command: all bytes, one listing each, nothing removed', async () => {
  expect(points.length).toBeGreaterThan(20)
  let killed = 0
  const tryAll = async (some: readonly [string, number][]): Promise<void> => {
    for (const [call, at] of some) {
      const name = `at-${call}-${at}`
      const { home, output } = await recover(name, '-o', '/dev/null', `--inject=${call}:signal=KILL:when=${at}`)
      if (output === '') killed++
      await finish(home, `${call} ${at}`)
      await rm(home, { recursive: true, force: true })
    }
  }
  // Two at a time, because there are two cores.
  await Promise.all([0, 1].map((lane) => tryAll(points.filter((_, index) => index % 2 === lane))))
  // A tracer that kills nothing would find nothing wrong.
  expect(killed).toBeGreaterThan(points.length / 2)
}, 900_000)

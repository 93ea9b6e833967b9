// A process that credits payments, killed at each of its writes: the next process completes its work, and each payment is
// credited once.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bytesForUnits, MIB } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../services/storage/src/db/database.ts'
import { type PaymentChain, startPaymentChain } from '../../services/storage/src/payments/payment-chain.fixture.ts'
import { programEnvironment } from '../program-environment.ts'
import { choosePoints, countCalls } from './count-calls.ts'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)
const node = [process.execPath, '--conditions=@cairn/source', join(import.meta.dirname, 'index-program.ts')]
/** How SQLite reaches the disk. */
const calls = ['pwrite64', 'fdatasync', 'fsync', 'ftruncate', 'unlink']
const allUpTo = 6
const step = 6

let folder = ''
let settings = ''
let place: PaymentChain
let points: [string, number][] = []

beforeAll(async () => {
  requireProgram('strace', 'strace')
  folder = await mkdtemp(join(tmpdir(), 'cairn-credit-'))
  place = await startPaymentChain()
  settings = join(folder, 'payments.json')
  await writeFile(settings, place.settings({ finality: { blocks: 0 } }))
  const prepared = join(folder, 'prepared')
  await mkdir(prepared)
  await run(node[0] ?? '', [...node.slice(1), join(prepared, 'storage.sqlite'), settings])
  for (let i = 0; i < 2; i++) {
    await place.payToken(place.alice, 'usdc', 1_000_000n)
    await place.pay(place.bob, 10n ** 15n)
  }
  const trace = join(folder, 'trace')
  const { output } = await index('counted', '-o', trace)
  expect(output).toBe('credited 4\n')
  points = choosePoints(await countCalls(trace), { calls, allUpTo, step })
}, 60_000)

afterAll(async () => {
  await place?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** Credits the existing payments under strace, in a copy of the prepared folder. */
async function index(name: string, ...strace: string[]): Promise<{ database: string; output: string }> {
  const own = join(folder, name)
  await cp(join(folder, 'prepared'), own, { recursive: true })
  const database = join(own, 'storage.sqlite')
  const traced = ['-f', '-qq', `--trace=${calls.join(',')}`, ...strace]
  try {
    const { stdout } = await run('strace', [...traced, ...node, database, settings], { env: programEnvironment })
    return { database, output: stdout }
  } catch (error) {
    return { database, output: error instanceof Error && 'stdout' in error ? `${error.stdout}` : '' }
  }
}

test('the next process completes a credit killed at any write, and nothing is credited twice', async () => {
  expect(points.length).toBeGreaterThan(10)
  let killed = 0
  const rest = points.map((point, i) => ({ point, i }))
  const lane = async () => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const { i } = next
      const [call, at] = next.point
      const name = `${call} ${at}`
      const { database, output } = await index(`at-${i}`, '-o', '/dev/null', `--inject=${call}:signal=KILL:when=${at}`)
      if (output === '') killed++
      await run(node[0] ?? '', [...node.slice(1), database, settings])
      await using db = await openDatabase({ kind: 'sqlite', path: database })
      const states = await db.read.selectFrom('payment').select('state').execute()
      expect(states, name).toEqual(Array.from({ length: 4 }, () => ({ state: 'credited' })))
      const limits = await db.read.selectFrom('account').select(['address', 'data_limit_bytes']).execute()
      expect(Object.fromEntries(limits.map((row) => [row.address, row.data_limit_bytes])), name).toEqual({
        [place.alice.account.address.toLowerCase()]: 2 * Number(bytesForUnits(1_000_000n, 6)),
        [place.bob.account.address.toLowerCase()]: 2 * 2 * 256 * MIB,
      })
      expect(await db.read.selectFrom('ledger_entry').select('id').execute(), name).toHaveLength(4)
    }
  }
  await Promise.all([lane(), lane()])
  expect(killed).toBeGreaterThan(points.length / 2)
}, 600_000)

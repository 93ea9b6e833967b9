// Faults and kills during several writes of one pack, as four threads make them. Needs `gcc`.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MIB, maxWriteBytes } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBroken as findBrokenPlace } from '../faults/place.ts'
import { createRandom, findBroken, makeBytes, type Promised } from '../faults/random-uploads.ts'
import { type StorageProcess, startStorageProcess } from '../faults/storage-process.ts'
import { countRemoving, findRemains } from '../faults/what-remains.ts'
import { createTestKey } from '../fixtures.ts'
import { programEnvironment } from '../program-environment.ts'
import { hearUpload } from './hear-upload.ts'
import { buildWriteFaults, createWriteFaults, type FaultPlan, type PackWrite, restOf } from './write-faults.ts'

const run = promisify(execFile)
const seed = Number(process.env['CAIRN_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** A slab of 2 MiB and its frames takes one call more than the four that run at a time. */
const slabCalls = 5

let folder = ''
let library = ''

beforeAll(async () => {
  console.log(`seed ${seed}: repeat with CAIRN_TEST_SEED=${seed}`)
  folder = await mkdtemp(join(tmpdir(), 'cairn-writes-'))
  library = await buildWriteFaults(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The calls of each slab, by position: the last call of a slab is shorter than the others. */
function groupBySlab(writes: readonly PackWrite[]): PackWrite[][] {
  const slabs: PackWrite[][] = [[]]
  for (const write of writes) {
    slabs.at(-1)?.push(write)
    if (write.lengthBytes < maxWriteBytes) slabs.push([])
  }
  return slabs
}

const without = (calls: readonly PackWrite[], left: readonly PackWrite[]) =>
  calls.filter((call) => !left.includes(call))

describe('a process that is killed while writes are under way', () => {
  const program = join(import.meta.dirname, '../faults/store-program.ts')
  let prepared = ''
  let firstCid = ''
  let slab: PackWrite[] = []

  /** Stores a file of 5 MiB in a copy of the prepared folder, with faults. */
  async function store(name: string, plan: FaultPlan) {
    const place = join(folder, name)
    await cp(prepared, place, { recursive: true })
    const faults = createWriteFaults(library, join(folder, `${name}.plan`))
    faults.plan(plan)
    const env = { ...programEnvironment, ...faults.environment }
    const args = ['--conditions=@cairn/source', program, place, 'one', '2']
    const ended = await run(process.execPath, args, { env }).then(
      ({ stdout }) => stdout,
      (error: unknown) => (error instanceof Error && 'signal' in error ? error.signal : error),
    )
    return { place, ended, ...faults.readNotes() }
  }

  beforeAll(async () => {
    prepared = join(folder, 'prepared')
    const args = ['--conditions=@cairn/source', program, prepared, 'one', '1']
    firstCid = (await run(process.execPath, args, { env: programEnvironment })).stdout.trim().split(' ')[1] ?? ''
    const { ended, writes } = await store('recorded', { order: 'late', victims: [], companions: [] })
    expect(ended).toMatch(/^ack /)
    slab = groupBySlab(writes.filter(({ at }) => at > 0))[0] ?? []
    expect(slab.length).toBe(slabCalls)
  })

  test('leaves holes in an unfinished file, none of which remain after the next start', {
    timeout: 600_000,
  }, async () => {
    const one = slab.map((call): [string, PackWrite[], PackWrite[]] => ['late', [call], without(slab, [call])])
    // Without the last call, so that each of the three leaves a hole.
    const three = [
      [0, 1, 2],
      [0, 2, 3],
      [1, 2, 3],
    ].map((at): [string, PackWrite[], PackWrite[]] => {
      const killed = slab.filter((_, index) => at.includes(index))
      return ['late', killed, without(slab, killed)]
    })
    const four = [0, 1].map((from): [string, PackWrite[], PackWrite[]] => [
      'early',
      slab.slice(from, from + 1),
      slab.slice(from + 1, from + 4),
    ])
    const broken: string[] = []
    let holes = 0
    for (const [index, [order, killed, companions]] of [...one, ...three, ...four].entries()) {
      const where = `${order} ${killed.map(({ at }) => at)}`
      const { place, ended, metCount, writes } = await store(`kill-${index}`, {
        order: order === 'early' ? 'early' : 'late',
        victims: killed.map((call) => ({ ...call, fault: 'KILL' })),
        companions,
      })
      expect([where, ended, metCount]).toEqual([where, 'SIGKILL', 1])
      const [name = ''] = await readdir(join(place, 'packs', 'tmp'))
      const file = await readFile(join(place, 'packs', 'tmp', name))
      for (const { at, lengthBytes } of killed) {
        const bytes = file.subarray(at, at + lengthBytes)
        if (bytes.length === lengthBytes && bytes.every((byte) => byte === 0)) holes++
      }
      if (order === 'late') {
        expect(writes.map(({ at }) => at).filter((at) => at > 0)).toEqual(companions.map(({ at }) => at))
      }
      for (const what of await findBrokenPlace(place, [firstCid])) broken.push(`${where}: ${what}`)
      await rm(place, { recursive: true, force: true })
    }
    expect(broken).toEqual([])
    // All calls but the last of the slab, alone; and each of three.
    expect(holes).toBe(slab.length - 1 + 9)
  })
})

describe('a fault at one of several writes under way', () => {
  /** Some slabs of a pack, few rows. The first starts with a write of several parts, which is omitted. */
  const uploadBytes = 8_000_000
  /** A pack that is synced while it arrives, at 16 MiB, and whose rest is written directly. */
  const largeBytes = 24 * MIB
  const random = createRandom(seed)
  const promised: Promised[] = []
  let home = ''
  let service: StorageProcess
  let apiKey = ''
  let faults: ReturnType<typeof createWriteFaults>
  let slab: PackWrite[] = []

  const start = () =>
    startStorageProcess(home, {
      ...faults.environment,
      CAIRN_LOG_LEVEL: 'fatal',
      CAIRN_SCRUB_BYTES_PER_SECOND: '0',
    })

  beforeAll(async () => {
    home = join(folder, 'home')
    faults = createWriteFaults(library, join(folder, 'service.plan'))
    service = await start()
    apiKey = (await createTestKey({ profile: service })).apiKey
    slab = groupBySlab(await record(uploadBytes))[1] ?? []
    expect(slab.length).toBe(slabCalls)
  })
  afterAll(() => service?.kill())

  const upload = (sizeBytes = uploadBytes): Promise<string> =>
    hearUpload(service, apiKey, makeBytes(random, sizeBytes), promised)

  /** The writes of an undisturbed upload. */
  async function record(sizeBytes: number): Promise<PackWrite[]> {
    faults.plan({ order: 'late', victims: [], companions: [] })
    expect(await upload(sizeBytes)).toBe('stored')
    return faults.readNotes().writes.filter(({ at }) => at > 0)
  }

  /** Uploads once under a plan; returns what the client receives, once each victim has met its fault. */
  async function uploadUnder(plan: FaultPlan, sizeBytes?: number): Promise<string> {
    const before = promised.length
    faults.plan(plan)
    const heard = await upload(sizeBytes)
    const met = faults.readNotes().metCount
    expect([plan, met]).toEqual([plan, plan.victims.length])
    if (heard === 'nothing') {
      await service.gone
      service = await start()
    }
    expect([plan, ...findRemains(home), ...(await findBroken(service, promised.slice(before)))]).toEqual([plan])
    return heard
  }

  /** One call of four running ones, and the other three. */
  const windows = () =>
    slab.map((call, index) => {
      const from = Math.min(Math.max(0, index - 1), slab.length - 4)
      return { call, others: without(slab.slice(from, from + 4), [call]) }
    })

  /** After faults, everything acknowledged is there, now and after a kill, and nothing else. */
  async function expectAllKept(): Promise<void> {
    expect(await upload()).toBe('stored')
    await service.kill()
    service = await start()
    expect(await findBroken(service, promised)).toEqual([])
    await expect.poll(() => countRemoving(home)).toBe(0)
    expect(findRemains(home)).toEqual([])
  }

  test.each([
    ['EIO', '500 STORAGE_FAILED'],
    ['ENOSPC', '507 STORAGE_FULL'],
    ['ZERO', '507 STORAGE_FULL'],
  ] as const)(
    '%s fails the upload, whatever happens to the other writes',
    { timeout: 600_000 },
    async (fault, refusal) => {
      for (const { call, others } of windows()) {
        for (const order of ['early', 'late'] as const) {
          const heard = await uploadUnder({ order, victims: [{ ...call, fault }], companions: others })
          expect([order, call, heard]).toEqual([order, call, refusal])
        }
      }
      await expectAllKept()
    },
  )

  test('two that fail differently fail the upload once', async () => {
    const [first, second, third, fourth] = slab
    if (first === undefined || second === undefined || third === undefined || fourth === undefined)
      throw new Error('few')
    const victims = [
      { ...second, fault: 'ENOSPC' },
      { ...third, fault: 'EIO' },
    ] as const
    for (const order of ['early', 'late'] as const) {
      const heard = await uploadUnder({ order, victims, companions: [first, fourth] })
      expect(['507 STORAGE_FULL', '500 STORAGE_FAILED']).toContain(heard)
    }
    await expectAllKept()
  })

  test('continues a write that accepts a part, and serves every byte', { timeout: 600_000 }, async () => {
    for (const { call, others } of windows()) {
      for (const order of ['early', 'late'] as const) {
        const heard = await uploadUnder({ order, victims: [{ ...call, fault: 'SHORT' }], companions: others })
        expect([order, call, heard]).toEqual([order, call, 'stored'])
      }
    }
    const short = slab.slice(0, 3).map((call) => ({ ...call, fault: 'SHORT' }) as const)
    expect(await uploadUnder({ order: 'late', victims: short, companions: slab.slice(3) })).toBe('stored')
    await expectAllKept()
  })

  test('a disk that fills up in the middle of a write fails the upload', { timeout: 600_000 }, async () => {
    for (const { call, others } of windows()) {
      const heard = await uploadUnder({
        order: 'late',
        // Node itself continues a short write, and hides its error: the next call meets it again.
        victims: [
          { ...call, fault: 'SHORT' },
          { ...restOf(call), fault: 'ENOSPC' },
          { ...restOf(call), fault: 'ENOSPC' },
        ],
        companions: others,
      })
      expect([call, heard]).toEqual([call, '507 STORAGE_FULL'])
    }
    await expectAllKept()
  })

  test.each(['EIO', 'KILL'] as const)(
    '%s at an early sync while a direct write is under way ends the upload',
    async (fault) => {
      const writes = await record(largeBytes)
      const direct = writes.filter(({ at, lengthBytes }) => at >= 15 * MIB && lengthBytes > maxWriteBytes)
      expect(direct.length).toBeGreaterThan(1)
      for (const order of ['early', 'late'] as const) {
        const plan: FaultPlan = { order, victims: [{ sync: fault }], companions: direct.slice(0, 1) }
        const heard = await uploadUnder(plan, largeBytes)
        expect([order, heard]).toEqual([order, fault === 'KILL' ? 'nothing' : '500 STORAGE_FAILED'])
      }
      await expectAllKept()
    },
  )
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, findBroken, makeBytes, type Promised } from '../faults/random-uploads.ts'
import { type StorageProcess, startStorageProcess } from '../faults/storage-process.ts'
import { countRemoving, findRemains } from '../faults/what-remains.ts'
import { createTestKey } from '../fixtures.ts'
import { hearUpload } from './hear-upload.ts'
import { attach, countCalls, type DiskCall, type Fault } from './inject.ts'
import { requireProgram } from './require-program.ts'

const seed = Number(process.env['CAIRN_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
/** Meets every n-th call of an upload, from a random start; `CAIRN_TEST_CRASH_POINTS=1` meets all. */
const step = Number(process.env['CAIRN_TEST_CRASH_POINTS'] ?? 3)
/** Two slabs of a pack, few rows. */
const uploadBytes = 4_400_000
/** A pack that is synced while it arrives, at 16 MiB, and whose rest is written directly, a slab per call. */
const largeBytes = 40 * 2 ** 20

describe('a fault at a system call of an upload', () => {
  const random = createRandom(seed)
  const promised: Promised[] = []
  let home = ''
  let service: StorageProcess
  let apiKey: string
  let counts: Map<DiskCall, number>
  let largeCounts: Map<DiskCall, number>
  /** Number of faults that were met. */
  let fired = 0

  beforeAll(async () => {
    requireProgram('strace', 'strace')
    console.log(`seed ${seed}: repeat with CAIRN_TEST_SEED=${seed}`)
    home = await mkdtemp(join(tmpdir(), 'cairn-inject-'))
    service = await start()
    apiKey = (await createTestKey({ profile: service })).apiKey
    await upload()
    const tracer = await attach(service.pid, join(home, 'trace'))
    await upload()
    counts = countCalls(await tracer.detach())
  })
  afterAll(async () => {
    await service?.kill()
    await rm(home, { recursive: true, force: true })
  })

  // One thread for the disk, so that the calls come in one order.
  const start = () =>
    startStorageProcess(home, { UV_THREADPOOL_SIZE: '1', CAIRN_LOG_LEVEL: 'fatal', CAIRN_SCRUB_BYTES_PER_SECOND: '0' })

  const upload = (sizeBytes = uploadBytes): Promise<string> =>
    hearUpload(service, apiKey, makeBytes(random, sizeBytes), promised)

  async function isGone(): Promise<boolean> {
    // The outcome is decided once it responds, or once it has exited.
    const alive = fetch(`${service.api}/healthz`).then(
      () => false,
      () => true,
    )
    return alive
  }

  /** Makes one call of one upload fail; returns what is wrong afterwards. */
  async function injectOnce(call: DiskCall, fault: Fault, nth: number, sizeBytes = uploadBytes): Promise<string[]> {
    const where = `${fault} at ${call} ${nth}`
    const before = promised.length
    const tracer = await attach(service.pid, join(home, 'trace'), { call, fault, nth })
    const heard = await upload(sizeBytes)
    const trace = await tracer.detach()
    // Threads count separately, so the last numbers of a call meet none.
    if (fault === 'SIGKILL' ? heard === 'nothing' : trace.includes('(INJECTED)')) fired++
    if (heard === 'nothing' || (await isGone())) {
      await service.kill()
      service = await start()
    }
    const faults = findRemains(home)
    if (heard === 'stored' && /fdatasync\(.*\(INJECTED\)/.test(trace)) faults.push('the failed sync was not noticed')
    if (
      heard !== 'stored' &&
      heard !== 'nothing' &&
      !/^5\d\d (STORAGE_FULL|STORAGE_FAILED|UNAVAILABLE|INTERNAL)$/.test(heard)
    ) {
      faults.push(`the client heard ${heard}`)
    }
    faults.push(...(await findBroken(service, promised.slice(before))))
    return faults.map((text) => `${where}: ${text}`)
  }

  it.each(['ENOSPC', 'EIO', 'SIGKILL'] as const)(
    '%s leaves everything acknowledged, and nothing else',
    { timeout: 600_000 },
    async (fault) => {
      const faults: string[] = []
      fired = 0
      const first = Math.floor(random() * step)
      let turn = 0
      for (const [call, count] of counts) {
        for (let nth = 1; nth <= count; nth++) {
          if (turn++ % step === first) faults.push(...(await injectOnce(call, fault, nth)))
        }
      }
      console.log(
        `${fault}: ${fired} met, ${[...counts.values()].reduce((sum, count) => sum + count, 0)} calls an upload`,
      )
      expect(fired).toBeGreaterThan(10)
      expect(faults).toEqual([])
      expect(await upload()).toBe('stored')
      expect(await findBroken(service, promised)).toEqual([])
      // The next start completes an interrupted removal.
      await service.kill()
      service = await start()
      await expect.poll(() => countRemoving(home)).toBe(0)
      expect(findRemains(home)).toEqual([])
    },
  )

  describe('of a large upload', () => {
    beforeAll(async () => {
      const tracer = await attach(service.pid, join(home, 'trace'))
      expect(await upload(largeBytes)).toBe('stored')
      largeCounts = countCalls(await tracer.detach())
    })

    /** Makes each such call of a large upload fail, from the `first` on. */
    async function injectEach(call: DiskCall, fault: Fault, first: number): Promise<string[]> {
      const count = largeCounts.get(call) ?? 0
      const faults: string[] = []
      fired = 0
      for (let nth = first; nth <= count; nth++) faults.push(...(await injectOnce(call, fault, nth, largeBytes)))
      console.log(`${fault} at ${call}: ${fired} of ${count} met`)
      expect(await upload(largeBytes)).toBe('stored')
      expect(await findBroken(service, promised)).toEqual([])
      return faults
    }

    it('a failed sync ends it, while the file arrives and at its end', { timeout: 600_000 }, async () => {
      expect(await injectEach('fdatasync', 'EIO', 1)).toEqual([])
      expect(fired).toBeGreaterThan(1)
    })

    // The first call with several parts is the start of the file; the others are direct.
    it.each(['ENOSPC', 'EIO', 'SIGKILL'] as const)(
      '%s at a direct write leaves everything acknowledged, and nothing else',
      { timeout: 600_000 },
      async (fault) => {
        expect(await injectEach('pwritev', fault, 2)).toEqual([])
        expect(fired).toBeGreaterThan(3)
      },
    )

    it('a file system that rejects direct writes gets them through its cache', { timeout: 600_000 }, async () => {
      const before = promised.length
      expect(await injectEach('pwritev', 'EINVAL', 2)).toEqual([])
      expect(fired).toBeGreaterThan(3)
      expect(promised.length - before).toBe(fired + 1)
    })
  })
})

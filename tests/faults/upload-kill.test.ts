import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { createRandom, findBroken, type Promised, uploadUntilGone } from './random-uploads.ts'
import { startStorageProcess } from './storage-process.ts'
import { findRemains } from './what-remains.ts'

const seed = Number(process.env['CAIRN_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const killsOfLane = Math.ceil(Number(process.env['CAIRN_TEST_KILLS'] ?? 12) / 2)
const lanes = 2
/** The kill comes at a random moment within this time, in ms. */
const killWithinMs = 500
const uploadersOfLane = 4

/** Kills one service repeatedly during uploads, and checks what it finds after each restart. */
async function killAgainAndAgain(lane: number): Promise<{ acknowledged: number; faults: string[] }> {
  const random = createRandom(seed + lane)
  const home = await mkdtemp(join(tmpdir(), 'cairn-kill-'))
  const all: Promised[] = []
  const faults: string[] = []
  try {
    let service = await startStorageProcess(home)
    const { apiKey } = await createTestKey({ profile: service })
    for (let round = 1; round <= killsOfLane; round++) {
      const promised: Promised[] = []
      const uploading = Array.from({ length: uploadersOfLane }, (_, index) =>
        uploadUntilGone(service, apiKey, createRandom(seed + lane * 100_000 + round * 10 + index), promised),
      )
      // During the first uploads, or after one or two: however slow the machine is, some are acknowledged.
      await vi.waitUntil(() => promised.length >= round % 3, { interval: 1, timeout: 120_000 })
      await wait(random() * killWithinMs)
      await service.kill()
      await Promise.all(uploading)
      service = await startStorageProcess(home)
      const found = [...findRemains(home), ...(await findBroken(service, promised))]
      faults.push(...found.map((fault) => `lane ${lane}, kill ${round}: ${fault}`))
      all.push(...promised)
    }
    faults.push(...(await findBroken(service, all)))
    await service.kill()
    return { acknowledged: all.length, faults }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

it(`keeps every acknowledged file, and nothing else, through ${lanes * killsOfLane} kills`, async () => {
  console.log(`seed ${seed}: repeat with CAIRN_TEST_SEED=${seed}`)
  const results = await Promise.all(Array.from({ length: lanes }, (_, lane) => killAgainAndAgain(lane)))
  const acknowledged = results.reduce((sum, result) => sum + result.acknowledged, 0)
  console.log(`${acknowledged} files acknowledged in ${lanes * killsOfLane} lives`)
  expect(results.flatMap(({ faults }) => faults)).toEqual([])
  expect(acknowledged).toBeGreaterThan(0)
})

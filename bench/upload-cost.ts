import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makeFile } from './material.ts'
import { cpuMs, peakMemory } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, median, pairedRatio, type Row } from './report.ts'
import { type Storage, startStorage, uploadByCurl } from './storage-service.ts'

/** Cost of uploads for a service, run by run. */
type Cost = { cpuMs: number[]; wallMs: number[]; peakBytes: number }

async function upload(storage: Storage, file: string, cost: Cost): Promise<void> {
  const before = cpuMs(storage.pid)
  cost.wallMs.push(await uploadByCurl(storage, file))
  cost.cpuMs.push(cpuMs(storage.pid) - before)
  cost.peakBytes = Math.max(cost.peakBytes, peakMemory(storage.pid))
}

async function run({ scratch, runs, largeBytes, against }: BenchOptions): Promise<Row[]> {
  await using ours = await startStorage(resolve(import.meta.dirname, '..'), join(scratch, 'ours'))
  await using theirs = await startStorage(against ?? resolve(import.meta.dirname, '..'), join(scratch, 'theirs'))
  const costs: [Cost, Cost] = [
    { cpuMs: [], wallMs: [], peakBytes: 0 },
    { cpuMs: [], wallMs: [], peakBytes: 0 },
  ]
  for (let i = 0; i <= runs; i++) {
    const sides = [() => uploadFresh(ours, costs[0]), () => uploadFresh(theirs, costs[1])]
    // Alternating, so that other load affects both sides.
    for (const side of i % 2 === 0 ? sides : sides.reverse()) await side()
    // One-time compilation and start-up belong to neither side.
    if (i === 0) for (const cost of costs) cost.cpuMs.length = cost.wallMs.length = 0
  }
  async function uploadFresh(storage: Storage, cost: Cost): Promise<void> {
    const file = join(scratch, 'upload.bin')
    makeFile(file, largeBytes)
    await upload(storage, file, cost)
    rmSync(file)
  }
  const [our, their] = costs
  const name = against === undefined ? 'the same' : 'the other checkout'
  const mib = `${formatNumber(largeBytes / 2 ** 20)} MiB by curl`
  const seconds = (ms: number[]) => `${formatNumber(median(ms) / 1000)} s`
  const peak = (bytes: number) => `${formatNumber(bytes / 2 ** 20)} MiB`
  const compare = (what: string, key: 'cpuMs' | 'wallMs'): Row => ({
    what,
    ours: seconds(our[key]),
    against: `${name}: ${seconds(their[key])}`,
    ratio: pairedRatio(their[key], our[key]),
    goal: '–',
    reached: undefined,
  })
  return [
    compare(`processor time of the service, ${mib}`, 'cpuMs'),
    compare(`time, ${mib}`, 'wallMs'),
    {
      what: `highest memory of the service, ${mib}`,
      ours: peak(our.peakBytes),
      against: `${name}: ${peak(their.peakBytes)}`,
      ratio: their.peakBytes / our.peakBytes,
      goal: '≤ 200 MiB',
      reached: our.peakBytes <= 200 * 2 ** 20,
    },
  ]
}

export const uploadCostBench: Bench = {
  name: 'upload-cost',
  about:
    'The cost of a large upload by curl at the storage service alone, compared with another checkout (`--against FOLDER`).',
  run,
}

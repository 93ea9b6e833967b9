import { join } from 'node:path'
import { startNetwork } from './network.ts'
import { residentOfAll } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row } from './report.ts'

async function run({ scratch, runs }: BenchOptions): Promise<Row[]> {
  const home = join(scratch, 'home')
  // The first start prepares the folder; later ones use a prepared network.
  await (await startNetwork(home))[Symbol.asyncDispose]()
  const ready: number[] = []
  const idle: number[] = []
  for (let i = 0; i < runs; i++) {
    await using network = await startNetwork(home)
    ready.push(network.readyMs)
    idle.push(residentOfAll(network.process.pid))
  }
  const readyMs = median(ready)
  const idleMib = median(idle) / 2 ** 20
  const row = (what: string, ours: string, goal: string, reached: boolean): Row => ({
    what,
    ours,
    against: '–',
    ratio: undefined,
    goal,
    reached,
  })
  return [
    row(
      'start of a prepared local network (storage, gateway, router, five key nodes, three providers)',
      `${formatNumber(readyMs)} ms`,
      '≤ 3 s',
      readyMs <= 3000,
    ),
    row('all of it idle, resident in all processes', `${formatNumber(idleMib)} MiB`, '≤ 450 MiB', idleMib <= 450),
  ]
}

export const startBench: Bench = { name: 'start', about: 'Start time and memory of the local network.', run }

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { kuboIfBuilt } from './kubo.ts'
import { innerMs } from './large-file.ts'
import { makeFolder } from './material.ts'
import { startNetwork } from './network.ts'
import { runClient, runOurs } from './program.ts'
import { type Bench, type BenchOptions, type Row, speedRow } from './report.ts'

const count = 10_000

async function run({ scratch, runs }: BenchOptions): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const kubo = await kuboIfBuilt(join(scratch, 'kubo'))
  const ours: number[] = []
  const js: number[] = []
  const theirs: number[] = []
  for (let i = 0; i < runs; i++) {
    const folder = join(scratch, `many-${i}`)
    makeFolder(folder, count, 4096)
    ours.push(innerMs((await runClient(join(import.meta.dirname, 'upload-client.ts'), [network.home, folder])).stdout))
    const blocks = join(scratch, 'blocks')
    js.push(innerMs((await runOurs(join(import.meta.dirname, 'importer-client.ts'), [blocks, folder])).stdout))
    rmSync(blocks, { recursive: true })
    if (kubo !== undefined) theirs.push((await kubo.add(folder)).wallMs)
    rmSync(folder, { recursive: true })
  }
  const common = {
    what: `folder of ${count.toLocaleString('en')} files of 4 KiB, one request`,
    oursMs: ours,
    amount: count,
    unit: 'files',
  }
  const rows = [
    speedRow({
      ...common,
      against: 'ipfs-unixfs-importer + blockstore-fs in process, no HTTP',
      theirsMs: js,
      minRatio: 1,
    }),
  ]
  if (theirs.length > 0) rows.push(speedRow({ ...common, against: 'ipfs add -r', theirsMs: theirs, minRatio: 3 }))
  return rows
}

export const smallFilesBench: Bench = {
  name: 'small-files',
  about: 'A folder of many small files from disk through the SDK and HTTP, answered when durable.',
  run,
}

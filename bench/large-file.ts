import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { kuboIfBuilt } from './kubo.ts'
import { makeFile } from './material.ts'
import { startNetwork } from './network.ts'
import { peakMemory, runClient, runOurs, runProgram } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, type Row, speedRow } from './report.ts'

const client = join(import.meta.dirname, 'upload-client.ts')
const importer = join(import.meta.dirname, 'importer-client.ts')

/** The time of the work itself, as the program prints it: process start-up is excluded on both sides. */
function innerMs(stdout: string): number {
  const found = /took (\d+(?:\.\d+)?) ms/.exec(stdout)
  if (found === null) throw new Error(`no time in: ${stdout}`)
  return Number(found[1])
}

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const kubo = await kuboIfBuilt(join(scratch, 'kubo'))
  const ours: number[] = []
  const copy: number[] = []
  const js: number[] = []
  const theirs: number[] = []
  let clientPeak = 0
  for (let i = 0; i < runs; i++) {
    const file = join(scratch, `large-${i}.bin`)
    makeFile(file, largeBytes)
    const copied = join(scratch, 'copy.bin')
    const started = performance.now()
    await runProgram('cp', [file, copied])
    await runProgram('sync', [copied])
    copy.push(performance.now() - started)
    rmSync(copied)
    const upload = await runClient(client, [network.home, file])
    ours.push(innerMs(upload.stdout))
    clientPeak = Math.max(clientPeak, upload.peakBytes)
    const blocks = join(scratch, 'blocks')
    js.push(innerMs((await runOurs(importer, [blocks, file])).stdout))
    rmSync(blocks, { recursive: true })
    if (kubo !== undefined) theirs.push((await kubo.add(file)).wallMs)
    rmSync(file)
  }
  const serverPeak = peakMemory(network.process.pid)
  const mib = largeBytes / 2 ** 20
  const common = { oursMs: ours, amount: mib, unit: 'MiB' }
  const rows = [
    speedRow({ ...common, what: 'durable upload, one file', against: 'cp + sync', theirsMs: copy, minRatio: 0.6 }),
    speedRow({
      ...common,
      what: 'durable upload, one file',
      against: 'ipfs-unixfs-importer + blockstore-fs in process, no HTTP',
      theirsMs: js,
      minRatio: 1,
    }),
  ]
  if (theirs.length > 0)
    rows.push(
      speedRow({ ...common, what: 'durable upload, one file', against: 'ipfs add', theirsMs: theirs, minRatio: 2 }),
    )
  for (const [who, peak] of [
    ['client', clientPeak],
    ['server', serverPeak],
  ] as const) {
    const peakMib = peak / 2 ** 20
    rows.push({
      what: `highest memory of the ${who}, ${formatNumber(mib)} MiB file`,
      ours: `${formatNumber(peakMib)} MiB`,
      against: '–',
      ratio: undefined,
      goal: '≤ 200 MiB',
      reached: peakMib <= 200,
    })
  }
  return rows
}

export const largeFileBench: Bench = {
  name: 'large-file',
  about: 'One large file from disk through the SDK and HTTP, answered when durable.',
  run,
}
export { innerMs }

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, loadNetwork, uploadFile } from '@cairn/sdk'
import { kuboIfBuilt } from './kubo.ts'
import { settleMachine } from './machine.ts'
import { makeFile } from './material.ts'
import { innerMs, runClient, runProgram, timed } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, type Row, speedRow } from './report.ts'
import { startDeployed } from './storage-service.ts'

const client = join(import.meta.dirname, 'download-client.ts')

/** One way to download the file. */
type Side = { name: string; times: number[]; run(target: string): Promise<number> }

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  await using storage = await startDeployed(join(scratch, 'ours'))
  const file = join(scratch, 'large.bin')
  makeFile(file, largeBytes)
  const network = await loadNetwork(storage.api)
  const { cid } = await uploadFile(createClient({ network, apiKey: storage.apiKey }), file)
  const kubo = await kuboIfBuilt(join(scratch, 'kubo'))
  await using daemon = await kubo?.startDaemon()
  const theirCid = await daemon?.addFile(file)
  rmSync(file)

  const byCurl = async (target: string): Promise<void> => {
    const url = `${network.gateway}/ipfs/${cid}`
    await runProgram('curl', ['--fail', '--silent', '--show-error', '--output', target, url])
    await runProgram('sync', [target])
  }
  const ours: Side = {
    name: 'SDK',
    times: [],
    run: async (target) => innerMs((await runClient(client, [storage.api, cid, target])).stdout),
  }
  const curl: Side = {
    name: 'curl from the same gateway, which checks nothing, and sync',
    times: [],
    run: (target) => timed(() => byCurl(target)),
  }
  const get: Side | undefined =
    daemon === undefined || theirCid === undefined
      ? undefined
      : {
          name: 'ipfs get from a daemon, which neither checks nor syncs',
          times: [],
          run: (target) => timed(() => daemon.get(theirCid, target)),
        }
  const others = [curl, ...(get === undefined ? [] : [get])]
  for (let round = 0; round <= runs; round++) {
    const sides = [ours, ...others]
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const target = join(scratch, 'target.bin')
      await settleMachine()
      const ms = await side.run(target)
      // The first round warms the page cache of each side.
      if (round > 0) side.times.push(ms)
      rmSync(target)
    }
  }
  const mib = largeBytes / 2 ** 20
  return others.map((other) =>
    speedRow({
      what: `${formatNumber(mib)} MiB to a file, every block’s hash checked by the client, durable: SDK`,
      oursMs: ours.times,
      against: other.name,
      theirsMs: other.times,
      minRatio: other === curl ? 0.6 : 1,
      amount: mib,
      unit: 'MiB',
    }),
  )
}

export const downloadsBench: Bench = {
  name: 'downloads',
  about: 'Downloads of a file to the disk, from a deployed storage service and from a Kubo daemon on the same machine.',
  run,
}

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CairnError, type Client, getProofs, uploadFile } from '@cairn/sdk'
import { untilProven } from '../tests/until-proven.ts'
import { settleMachine } from './machine.ts'
import { makeFile } from './material.ts'
import { openClient, startNetwork } from './network.ts'
import { innerMs, runClient } from './program.ts'
import { type Bench, type BenchOptions, type Row, speedRow } from './report.ts'

/** Content that is in deals during the measurement. */
const dealBytes = 2 * 2 ** 30

/** Returns whether a provider has received a deal about the content, and not all providers have proven it. */
async function isInDeals(client: Client, cid: string): Promise<boolean> {
  try {
    const { pieces, waitingPacks } = await getProofs(client, cid)
    const deals = pieces.flatMap(({ aggregate }) => aggregate?.deals ?? [])
    return deals.length > 0 && (waitingPacks > 0 || deals.some(({ state }) => state !== 'proving'))
  } catch (error) {
    if (CairnError.is(error, 'PROOF_NOT_FOUND')) return false
    throw error
  }
}

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const client = await openClient(network)
  const file = join(scratch, 'file.bin')
  const prepare = async () => {
    makeFile(file, largeBytes)
    await settleMachine()
  }
  const upload = async (): Promise<number> => {
    const { stdout } = await runClient(join(import.meta.dirname, 'upload-client.ts'), [network.home, file])
    const [cid = ''] = stdout.split(' ')
    settled = () => untilProven(client, cid)
    return innerMs(stdout)
  }
  let settled = async (): Promise<unknown> => undefined
  const quiet: number[] = []
  const beside: number[] = []
  for (let round = 0; round < runs; round++) {
    await prepare()
    quiet.push(await upload())
    await settled()
    const large = join(scratch, 'deals.bin')
    makeFile(large, dealBytes)
    await prepare()
    const { cid } = await uploadFile(client, large)
    rmSync(large)
    while (!(await isInDeals(client, cid))) await delay(100)
    const ms = await upload()
    if (!(await isInDeals(client, cid))) throw new Error('the deals ended before the upload')
    beside.push(ms)
    await untilProven(client, cid)
    await settled()
  }
  return [
    speedRow({
      what: `upload of ${largeBytes / 2 ** 20} MiB by the SDK while deals of 2 GiB are in progress`,
      oursMs: beside,
      against: 'without deals',
      theirsMs: quiet,
      minRatio: 0.8,
      amount: largeBytes / 2 ** 20,
      unit: 'MiB',
    }),
  ]
}

export const besideDealsBench: Bench = {
  name: 'beside-deals',
  about: 'Uploads to a local network while its three providers fetch, hash and prove earlier content.',
  run,
}

import { join } from 'node:path'
import { createClient, deleteFile, loadNetwork, uploadFolder } from '@cairn/sdk'
import { makeFolder } from './material.ts'
import { cpuMs, peakMemory, resetPeakMemory } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row } from './report.ts'
import { startDeployed } from './storage-service.ts'

const files = 100_000
const fileBytes = 512
const mib = (bytes: number) => `${formatNumber(bytes / 2 ** 20)} MiB`

/** Reads a response to its end, and returns its number of bytes. */
async function read(url: string): Promise<number> {
  const answer = await fetch(url)
  if (!answer.ok || answer.body === null) throw new Error(`${url}: ${answer.status}`)
  let bytes = 0
  for await (const piece of answer.body) bytes += piece.length
  return bytes
}

async function run({ scratch, runs }: BenchOptions): Promise<Row[]> {
  await using storage = await startDeployed(join(scratch, 'service'))
  const network = await loadNetwork(storage.api)
  const client = createClient({ network, apiKey: storage.apiKey })
  const add = async (name: string, count: number) => {
    const folder = join(scratch, name)
    makeFolder(folder, count, fileBytes)
    return `${network.gateway}/ipfs/${(await uploadFolder(client, folder)).cid}`
  }
  /** Processor time of the service and elapsed time, in ms. */
  const measure = async (work: () => Promise<unknown>) => {
    const cpu = cpuMs(storage.pid)
    const started = performance.now()
    await work()
    return { wall: performance.now() - started, cpu: cpuMs(storage.pid) - cpu }
  }
  const few = await add('few', files / 10)
  const many = await add('many', files)

  await read(`${few}/`)
  const pages: number[] = []
  for (let at = 0; at < runs; at++) pages.push((await measure(() => read(`${many}/`))).wall)

  /** Peak memory and processor time of the service while it sends a folder as TAR. */
  const tar = async (url: string, count: number) => {
    resetPeakMemory(storage.pid)
    const { cpu } = await measure(async () => {
      const bytes = await read(`${url}?format=tar`)
      if (bytes < count * fileBytes) throw new Error(`the TAR has ${bytes} bytes`)
    })
    return { cpu, peak: peakMemory(storage.pid) }
  }
  // Fills the caches of locations and nodes, which have their own limits.
  await tar(many, files)
  const small = await tar(few, files / 10)
  const large = await tar(many, files)

  const cid = many.slice(many.lastIndexOf('/') + 1)
  const deletion = await measure(() => deleteFile(client, { cid }))
  const row = (what: string, ours: string, goal = '–', reached?: boolean, against = '–', ratio?: number): Row => ({
    what,
    ours,
    against,
    ratio,
    goal,
    reached,
  })
  const page = median(pages)
  const growth = large.peak / small.peak
  const ofSmall = `TAR of 10,000 files: ${mib(small.peak)}`
  return [
    row('first page', `${formatNumber(page)} ms`, '≤ 50 ms', page <= 50),
    row('TAR of the folder, processor time of the service per file', `${formatNumber((large.cpu / files) * 1000)} µs`),
    row(
      'highest memory of the service during the TAR, caches filled',
      mib(large.peak),
      '≤ 1.1',
      growth <= 1.1,
      ofSmall,
      growth,
    ),
    row('deletion, until it is answered', `${formatNumber(deletion.wall)} ms`, '≤ 1000 ms', deletion.wall <= 1000),
  ]
}

export const folderBench: Bench = {
  name: 'folder',
  about:
    'A folder of 100,000 files of 512 bytes at a deployed storage service: first page at the gateway, TAR, deletion.',
  run,
}

import { randomBytes } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { deleteFiles } from '../services/storage/src/files/files.ts'
import { createPackedGateway, type PackedGateway } from '../tests/e2e/packed-gateway.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row } from './report.ts'

const files = 100_000
const fileBytes = 512
const address = '0x0000000000000000000000000000000000000001'

/** Processor time of this process in ms: the gateway, and the client that counts the bytes. */
async function measure(work: () => Promise<unknown>): Promise<number> {
  const cpu = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return (user + system) / 1000
}

/** Reads an answer, and returns the highest memory in use meanwhile. */
async function read(gateway: PackedGateway, path: string): Promise<number> {
  const answer = await fetch(`${gateway.url}${path}`)
  if (!answer.ok || answer.body === null) throw new Error(`${path}: ${answer.status}`)
  let highest = 0
  for await (const _ of answer.body) highest = Math.max(highest, process.memoryUsage.rss())
  return highest
}

async function addFolder(gateway: PackedGateway, count: number): Promise<CID> {
  const content: Record<string, Uint8Array> = {}
  for (let at = 0; at < count; at++) content[`file-${String(at).padStart(6, '0')}.bin`] = randomBytes(fileBytes)
  return gateway.addFolder(content)
}

async function run({ runs }: BenchOptions): Promise<Row[]> {
  await using gateway = await createPackedGateway()
  const limits = { created_at: 1, data_limit_bytes: 1e9, data_used_bytes: 1e8, reserved_bytes: 0 }
  await gateway.db.write((trx) =>
    trx
      .insertInto('account')
      .values({ address, upload_count: 10, ...limits })
      .execute(),
  )
  const few = await addFolder(gateway, files / 10)
  const many = await addFolder(gateway, files)
  const row = (what: string, ours: string, against = '–', goal = '–', reached?: boolean): Row => ({
    what,
    ours,
    against,
    ratio: undefined,
    goal,
    reached,
  })
  await read(gateway, `/ipfs/${few}/`)
  const pages: number[] = []
  for (let at = 0; at < runs; at++) pages.push(await measure(() => read(gateway, `/ipfs/${many}/`)))
  const before = await read(gateway, `/ipfs/${few}?format=tar`)
  let after = 0
  const tar = await measure(async () => {
    after = await read(gateway, `/ipfs/${many}?format=tar`)
  })
  const deletion = await measure(() => deleteFiles({ ...gateway, clock: Date }, address, { cid: CID.parse(`${many}`) }))
  const mib = (bytes: number) => `${formatNumber(bytes / 2 ** 20)} MiB`
  return [
    row('first page, processor time', `${formatNumber(median(pages))} ms`, '–', '≤ 50 ms', median(pages) <= 50),
    row('tar of the folder, processor time per file', `${formatNumber((tar / files) * 1000)} µs`),
    row('highest memory during the tar', mib(after), `tar of 10,000 files: ${mib(before)}`),
    row('deletion, processor time', `${formatNumber(deletion)} ms`, '–', '≤ 1000 ms', deletion <= 1000),
  ]
}

export const folderBench: Bench = {
  name: 'folder',
  about: 'A folder of 100,000 files of 512 bytes: first page at the gateway, tar, deletion.',
  run,
}

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createApiKey, createClient, createWallet, type DriveUpload, openDrive, openKeySession } from '@cairn/sdk'
import { base32 } from 'multiformats/bases/base32'
import { startNetwork } from './network.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row } from './report.ts'

const fileCount = 50_000
const folderCount = 500

function createUploads(): DriveUpload[] {
  return Array.from({ length: fileCount }, (_, at) => ({
    id: String(at),
    cid: base32.encode(Uint8Array.from([1, 0x55, 0x12, 0x20, ...randomBytes(32)])),
    fileName: `IMG_${at}.jpg`,
    fileSizeInBytes: '1000',
    mimeType: 'image/jpeg',
    createdAt: 1_700_000_000_000 + at,
    encryption: true,
  }))
}

async function timeOf<T>(times: number[], work: () => T | Promise<T>): Promise<T> {
  const started = performance.now()
  const result = await work()
  times.push(performance.now() - started)
  return result
}

async function measureDrive({ scratch, runs }: BenchOptions): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'network'))
  const [fill, open, change, list]: number[][] = [[], [], [], []]
  let bytes = 0
  for (let run = 0; run < runs; run++) {
    const { privateKey } = createWallet()
    const plain = createClient({ network: { ...network.profile, keyNodePauseMs: 0 } })
    const keySession = await openKeySession(plain, { privateKey })
    const client = createClient({
      network: plain.network,
      keySession,
      apiKey: await createApiKey(plain, { privateKey }),
    })
    const uploads = createUploads()
    const first = await openDrive(client, { uploads })
    await timeOf(fill ?? [], () =>
      first.change((edit) => {
        for (let folder = 0; folder < folderCount; folder++) edit.createFolder(`/folder ${folder}`)
        for (const [at, { fileName }] of uploads.entries()) edit.move(fileName, `/folder ${at % folderCount}`)
      }),
    )
    const drive = await timeOf(open ?? [], async () => {
      const opened = await openDrive(client, { uploads })
      opened.list()
      return opened
    })
    bytes = drive.size.bytes
    await timeOf(change ?? [], async () => {
      await drive.change((edit) => edit.move('/folder 7/IMG_7.jpg', '/folder 8'))
      drive.list('/folder 8')
    })
    await timeOf(list ?? [], () => drive.list('/folder 9'))
  }
  const row = (what: string, ours: string, goal: string, reached: boolean): Row => ({
    what,
    ours,
    against: '–',
    ratio: undefined,
    goal,
    reached,
  })
  const timeRow = (what: string, times: number[] | undefined, maxMs: number): Row => {
    const ms = median(times ?? [])
    return row(what, `${formatNumber(ms)} ms`, `≤ ${formatNumber(maxMs)} ms`, ms <= maxMs)
  }
  return [
    timeRow('50,000 files moved into 500 folders, one change', fill, 5000),
    timeRow('drive of 50,000 files opened and its root listed, without the listing of uploads', open, 1500),
    timeRow('one file moved, stored, and its folder listed', change, 500),
    timeRow('a folder of 100 files listed', list, 16),
    row('size of the index', `${formatNumber(bytes / 1024)} KiB`, '≤ 8,192 KiB', bytes <= 8192 * 1024),
  ]
}

export const driveBench: Bench = {
  name: 'drive',
  about: 'The encrypted index of an account with 50,000 files, service and key nodes on the same machine.',
  run: measureDrive,
}

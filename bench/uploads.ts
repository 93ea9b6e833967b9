import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchKubo, kuboIfBuilt } from './kubo.ts'
import { settleMachine } from './machine.ts'
import { makeFile, makeFolder } from './material.ts'
import { innerMs, peakMemory, runClient, runOurs, runProgram } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row, speedRow } from './report.ts'
import { addByCurl, type Storage, startDeployed, uploadByCurl, uploadInParts } from './storage-service.ts'

const sdkClient = join(import.meta.dirname, 'upload-client.ts')
const importClient = join(import.meta.dirname, 'import-client.ts')
const jsImporter = join(import.meta.dirname, 'importer-client.ts')
const jsName = 'ipfs-unixfs-importer + blockstore-fs in process'
const filesInFolder = 10_000

/** One way to store a file, with the time of each run in ms. */
type Side = { name: string; times: number[]; run(file: string): Promise<number> }

/**
 * Runs every side with new content, which no store has yet. The first round warms up. The order rotates, and runs backwards
 * in every other round, so that no side always follows the same one.
 */
async function alternate(sides: readonly Side[], runs: number, make: () => string): Promise<void> {
  for (let round = 0; round <= runs; round++) {
    const first = round % sides.length
    const turned = [...sides.slice(first), ...sides.slice(0, first)]
    for (const side of round % 2 === 0 ? turned : turned.reverse()) {
      const path = make()
      await settleMachine()
      const ms = await side.run(path)
      if (round > 0) side.times.push(ms)
      rmSync(path, { recursive: true })
    }
  }
}

const addInProcess = (kubo: BenchKubo) => async (path: string) => (await kubo.add(path)).wallMs

function makeTiny(scratch: string): string {
  const file = join(scratch, 'tiny.bin')
  makeFile(file, 1)
  return file
}

/** Times a program of another project without its start, because ours are timed without theirs, too. */
async function withoutStart(tiny: string, file: string, add: (file: string) => Promise<number>): Promise<number> {
  const startMs = await add(tiny)
  return Math.max(1, (await add(file)) - startMs)
}

/** Imports with the JavaScript packages that Helia uses, in process and without HTTP. */
const addByJs = (scratch: string) => async (path: string) => {
  const blocks = join(scratch, 'blocks')
  const { stdout } = await runOurs(jsImporter, [blocks, path])
  rmSync(blocks, { recursive: true })
  return innerMs(stdout)
}

async function copyAndSync(file: string): Promise<number> {
  const copied = `${file}.copy`
  const started = performance.now()
  await runProgram('cp', [file, copied])
  await runProgram('sync', [copied])
  const ms = performance.now() - started
  rmSync(copied)
  return ms
}

async function run({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  await using storage = await startDeployed(join(scratch, 'ours'))
  const kubo = await kuboIfBuilt(join(scratch, 'kubo'))
  const rows = await largeRows(storage, kubo, { scratch, runs, largeBytes })
  rows.push(...(await folderRows(storage, kubo, { scratch, runs })))
  return [...rows, memoryRow('server, in all of these', peakMemory(storage.pid))]
}

async function largeRows(
  storage: Storage,
  kubo: BenchKubo | undefined,
  { scratch, runs, largeBytes }: Pick<BenchOptions, 'scratch' | 'runs' | 'largeBytes'>,
): Promise<Row[]> {
  await using daemon = await kubo?.startDaemon()
  const tiny = makeTiny(scratch)
  let clientPeak = 0
  const sdk = async (file: string, ...more: string[]): Promise<number> => {
    const { stdout, peakBytes } = await runClient(sdkClient, [storage.api, file, ...more], {
      CAIRN_API_KEY: storage.apiKey,
    })
    clientPeak = Math.max(clientPeak, peakBytes)
    return innerMs(stdout)
  }
  const inProcess = async (file: string): Promise<number> => {
    const folder = join(scratch, 'import')
    mkdirSync(folder)
    const { stdout } = await runOurs(importClient, [folder, file], { TMPDIR: folder })
    rmSync(folder, { recursive: true })
    return innerMs(stdout)
  }
  const side = (name: string, run: Side['run']): Side => ({ name, times: [], run })
  const curl = side('curl', (file) => uploadByCurl(storage, file))
  const bySdk = side('SDK', (file) => sdk(file))
  const parts = side('resumable upload by curl', (file) => uploadInParts(storage, file, largeBytes))
  const sdkParts = side('resumable upload by the SDK', (file) => sdk(file, 'resumable'))
  const imported = side('import in process', inProcess)
  const copy = side('cp + sync', copyAndSync)
  const js = side(jsName, addByJs(scratch))
  const ours = [curl, bySdk, parts, sdkParts, imported, copy, js]
  const theirs =
    daemon === undefined || kubo === undefined
      ? undefined
      : {
          curl: side('curl to a Kubo daemon', (file) => addByCurl(daemon.apiUrl, file)),
          add: side('ipfs add to a daemon', (file) => withoutStart(tiny, file, daemon.add)),
          inProcess: side('ipfs add in process', (file) => withoutStart(tiny, file, addInProcess(kubo))),
        }
  await alternate([...ours, ...Object.values(theirs ?? {})], runs, () => {
    const file = join(scratch, 'large.bin')
    makeFile(file, largeBytes)
    return file
  })
  const mib = largeBytes / 2 ** 20
  const compare = (our: Side, their: Side, minRatio: number): Row =>
    speedRow({
      what: `${formatNumber(mib)} MiB, durable: ${our.name}`,
      oursMs: our.times,
      against: their.name,
      theirsMs: their.times,
      minRatio,
      amount: mib,
      unit: 'MiB',
    })
  return [
    ...(theirs === undefined ? [] : [compare(curl, theirs.curl, 1.7), compare(bySdk, theirs.add, 1.4)]),
    compare(bySdk, copy, 0.45),
    compare(bySdk, js, 1),
    ...(theirs === undefined ? [] : [compare(imported, theirs.inProcess, 1.2)]),
    compare(parts, curl, 0.75),
    compare(sdkParts, curl, 0.75),
    memoryRow('client', clientPeak),
  ]
}

async function folderRows(
  storage: Storage,
  kubo: BenchKubo | undefined,
  { scratch, runs }: Pick<BenchOptions, 'scratch' | 'runs'>,
): Promise<Row[]> {
  const tiny = makeTiny(scratch)
  const ours: Side = {
    name: 'SDK',
    times: [],
    run: async (folder) =>
      innerMs((await runClient(sdkClient, [storage.api, folder], { CAIRN_API_KEY: storage.apiKey })).stdout),
  }
  const theirs: Side | undefined =
    kubo === undefined
      ? undefined
      : { name: 'ipfs add -r', times: [], run: (folder) => withoutStart(tiny, folder, addInProcess(kubo)) }
  const js: Side = { name: jsName, times: [], run: addByJs(scratch) }
  let round = 0
  await alternate([ours, js, ...(theirs === undefined ? [] : [theirs])], runs, () => {
    const folder = join(scratch, `many-${round++}`)
    makeFolder(folder, filesInFolder, 4096)
    return folder
  })
  const what = `folder of ${filesInFolder.toLocaleString('en')} files of 4 KiB, one request`
  const rate = filesInFolder / (median(ours.times) / 1000)
  const rows: Row[] = [
    {
      what,
      ours: `${formatNumber(rate)} files/s`,
      against: '–',
      ratio: undefined,
      goal: '≥ 25,000 files/s',
      reached: rate >= 25_000,
    },
  ]
  const compare = (other: Side, minRatio: number): Row =>
    speedRow({
      what,
      oursMs: ours.times,
      against: other.name,
      theirsMs: other.times,
      minRatio,
      amount: filesInFolder,
      unit: 'files',
    })
  return [...(theirs === undefined ? [] : [compare(theirs, 6)]), compare(js, 1), ...rows]
}

function memoryRow(who: string, bytes: number): Row {
  const ours = `${formatNumber(bytes / 2 ** 20)} MiB`
  const reached = bytes <= 200 * 2 ** 20
  return { what: `highest memory of the ${who}`, ours, against: '–', ratio: undefined, goal: '≤ 200 MiB', reached }
}

export const uploadsBench: Bench = {
  name: 'uploads',
  about:
    'Uploads to a deployed storage service, which answers when they are durable, compared with a Kubo daemon, which does not sync.',
  run,
}

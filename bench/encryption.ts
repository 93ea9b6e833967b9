import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { untilProven } from '../tests/until-proven.ts'
import { settleMachine } from './machine.ts'
import { makeFile } from './material.ts'
import { openClient, startNetwork } from './network.ts'
import { peakMemory, runClient, runOurs } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, type Row, speedRow } from './report.ts'

const program = (name: string) => join(import.meta.dirname, name)
/** The published functions take several times the size of a file in memory. */
const maxCipherBytes = 512 * 2 ** 20

function tookMs(stdout: string): number[] {
  return [...stdout.matchAll(/took (\d+(?:\.\d+)?) ms/g)].map((found) => Number(found[1]))
}

function memoryRow(what: string, bytes: number, most: number, against = '–'): Row {
  const mib = bytes / 2 ** 20
  return {
    what,
    ours: `${formatNumber(mib)} MiB`,
    against,
    ratio: undefined,
    goal: `≤ ${most} MiB`,
    reached: mib <= most,
  }
}

async function measureCipher({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  const bytes = Math.min(largeBytes, maxCipherBytes)
  const [source, sealed, plain] = ['plain.bin', 'sealed.bin', 'back.bin'].map((name) => join(scratch, name))
  makeFile(source ?? '', bytes)
  const files = [source ?? '', sealed ?? '', plain ?? '']
  const times = { v1: [[], []], v2: [[], []], theirs: [[], []] } as Record<'v1' | 'v2' | 'theirs', [number[], number[]]>
  const peaks = { v1: 0, v2: 0, theirs: 0 }
  for (let i = 0; i < runs; i++) {
    for (const who of ['v1', 'v2', 'theirs'] as const) {
      const done =
        who === 'theirs'
          ? await runOurs(program('cipher-theirs.ts'), files)
          : await runClient(program('cipher-ours.ts'), [who, ...files])
      const [encrypt = Number.NaN, decrypt = Number.NaN] = tookMs(done.stdout)
      times[who][0].push(encrypt)
      times[who][1].push(decrypt)
      peaks[who] = Math.max(peaks[who], done.peakBytes)
    }
  }
  for (const file of files) rmSync(file, { force: true })
  const mib = bytes / 2 ** 20
  const rows = (['v1', 'v2'] as const).flatMap((who) =>
    (['encrypt', 'decrypt'] as const).map((what, i) =>
      speedRow({
        what: `${what} a file of ${formatNumber(mib)} MiB, format ${who}, disk to disk`,
        oursMs: times[who][i] ?? [],
        against: 'published SDK',
        theirsMs: times.theirs[i] ?? [],
        minRatio: 1,
        amount: mib,
        unit: 'MiB',
      }),
    ),
  )
  const theirPeak = `published SDK: ${formatNumber(peaks.theirs / 2 ** 20)} MiB`
  return [
    ...rows,
    ...(['v1', 'v2'] as const).map((who) =>
      memoryRow(`highest memory of both, format ${who}`, peaks[who], 150, theirPeak),
    ),
  ]
}

async function measureTransfer({ scratch, runs, largeBytes }: BenchOptions): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const client = await openClient(network)
  const file = join(scratch, 'large.bin')
  const target = join(scratch, 'back.bin')
  const peaks = { up: 0, down: 0 }
  const upload = async (ours: readonly string[]): Promise<{ cid: string; ms: number; peakBytes: number }> => {
    makeFile(file, largeBytes)
    await settleMachine()
    const [name = '', ...args] = ours
    const { stdout, peakBytes } = await runClient(program(name), args)
    const [cid = ''] = stdout.split(' ')
    // The providers fetch it now, so that the next side also has the machine to itself.
    await untilProven(client, cid)
    return { cid, ms: tookMs(stdout)[0] ?? Number.NaN, peakBytes }
  }
  const download = async (way: 'down' | 'down-plain', cid: string): Promise<number> => {
    await settleMachine()
    const { stdout, peakBytes } = await runClient(program('encrypted-client.ts'), [network.home, way, cid, target])
    rmSync(target)
    if (way === 'down') peaks.down = Math.max(peaks.down, peakBytes)
    return tookMs(stdout)[0] ?? Number.NaN
  }
  const up = { plain: [] as number[], encrypted: [] as number[] }
  const down = { plain: [] as number[], encrypted: [] as number[] }
  const sides = {
    plain: async () => {
      const { cid, ms } = await upload(['upload-client.ts', network.home, file])
      up.plain.push(ms)
      down.plain.push(await download('down-plain', cid))
    },
    encrypted: async () => {
      const { cid, ms, peakBytes } = await upload(['encrypted-client.ts', network.home, 'up', file])
      peaks.up = Math.max(peaks.up, peakBytes)
      up.encrypted.push(ms)
      down.encrypted.push(await download('down', cid))
    },
  }
  for (let round = 0; round < runs; round++) {
    for (const side of round % 2 === 0 ? (['plain', 'encrypted'] as const) : (['encrypted', 'plain'] as const)) {
      await sides[side]()
    }
  }
  const mib = largeBytes / 2 ** 20
  const compare = (what: string, times: typeof up, minRatio: number): Row =>
    speedRow({
      what: `encrypted ${what} of ${formatNumber(mib)} MiB`,
      oursMs: times.encrypted,
      against: `plain ${what}`,
      theirsMs: times.plain,
      minRatio,
      amount: mib,
      unit: 'MiB',
    })
  return [
    compare('upload', up, 0.9),
    compare('download', down, 0.8),
    memoryRow('highest memory of the client, up', peaks.up, 200),
    memoryRow('highest memory of the client, down', peaks.down, 200),
    memoryRow('highest memory of the server', peakMemory(network.process.pid), 200),
  ]
}

async function run(options: BenchOptions): Promise<Row[]> {
  return [...(await measureCipher(options)), ...(await measureTransfer(options))]
}

export const encryptionBench: Bench = {
  name: 'encryption',
  about: 'Encryption and decryption compared with the published SDK, and encrypted transfers compared with plain ones.',
  run,
}

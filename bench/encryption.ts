import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFile } from './material.ts'
import { startNetwork } from './network.ts'
import { peakMemory, runOurs } from './program.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row, speedRow } from './report.ts'

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
          : await runOurs(program('cipher-ours.ts'), [who, ...files])
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
  const file = join(scratch, 'large.bin')
  const target = join(scratch, 'back.bin')
  const plain: number[] = []
  const encrypted: number[] = []
  const down: number[] = []
  const peaks = { up: 0, down: 0 }
  for (let i = 0; i < runs; i++) {
    makeFile(file, largeBytes)
    plain.push(tookMs((await runOurs(program('upload-client.ts'), [network.home, file])).stdout)[0] ?? Number.NaN)
    const up = await runOurs(program('encrypted-client.ts'), [network.home, 'up', file])
    encrypted.push(tookMs(up.stdout)[0] ?? Number.NaN)
    peaks.up = Math.max(peaks.up, up.peakBytes)
    const back = await runOurs(program('encrypted-client.ts'), [
      network.home,
      'down',
      up.stdout.split(' ')[0] ?? '',
      target,
    ])
    down.push(tookMs(back.stdout)[0] ?? Number.NaN)
    peaks.down = Math.max(peaks.down, back.peakBytes)
    rmSync(target)
  }
  const mib = largeBytes / 2 ** 20
  return [
    speedRow({
      what: `encrypted upload of ${formatNumber(mib)} MiB`,
      oursMs: encrypted,
      against: 'plain upload',
      theirsMs: plain,
      minRatio: 0.7,
      amount: mib,
      unit: 'MiB',
    }),
    {
      what: 'encrypted download, verified and decrypted',
      ours: `${formatNumber((mib / median(down)) * 1000)} MiB/s`,
      against: '–',
      ratio: undefined,
      goal: '–',
      reached: undefined,
    },
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
  about: 'Encrypting and decrypting, beside the published SDK, and encrypted transfers beside plain ones.',
  run,
}

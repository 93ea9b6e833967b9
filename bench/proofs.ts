import { join } from 'node:path'
import { buildAggregate, createPieceHasher, encodePieceCid, hashPiece, resolveAggregate } from '@cairn/pieces'
import { createApiKey, createClient, uploadBytes, verifyStorage, waitForProof } from '@cairn/sdk'
import { Piece as Reference } from '@web3-storage/data-segment'
import { startNetwork } from './network.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row } from './report.ts'

const MiB = 1024 * 1024

function fill(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  for (let offset = 0; offset < bytes.length; offset += 65_536) {
    crypto.getRandomValues(bytes.subarray(offset, offset + 65_536))
  }
  return bytes
}

function timeOf(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

async function measureCommitments(runs: number): Promise<Row[]> {
  const ourPayload = fill(new Uint8Array(64 * MiB))
  const theirPayload = ourPayload.subarray(0, 4 * MiB)
  const rates = { ours: [] as number[], theirs: [] as number[] }
  for (let run = 0; run < runs; run++) {
    const hasher = createPieceHasher()
    const own = timeOf(() => {
      hasher.write(ourPayload)
      hasher.finish()
    })
    rates.ours.push(64 / (own / 1000))
    rates.theirs.push(4 / (timeOf(() => Reference.fromPayload(theirPayload)) / 1000))
  }
  const [ours, theirs] = [median(rates.ours), median(rates.theirs)]
  const same = encodePieceCid((await hashPiece([theirPayload])).piece)
  if (same !== Reference.fromPayload(theirPayload).link.toString()) throw new Error('the commitments differ')
  return [
    {
      what: 'piece commitment (CommP), one thread',
      ours: `${formatNumber(ours)} MiB/s`,
      against: `reference library: ${formatNumber(theirs)} MiB/s`,
      ratio: ours / theirs,
      goal: '≥ 10 ×',
      reached: ours / theirs >= 10,
    },
  ]
}

async function measureAggregates(runs: number): Promise<Row[]> {
  const { piece } = await hashPiece([fill(new Uint8Array(5000))])
  const pieces = Array.from({ length: 1000 }, (_, at) => {
    const root = piece.root.slice()
    root[0] = at & 255
    root[1] = at >> 8
    return { ...piece, root }
  })
  const build: number[] = []
  const verify: number[] = []
  for (let run = 0; run < runs; run++) {
    let aggregate = buildAggregate(pieces)
    build.push(
      timeOf(() => {
        aggregate = buildAggregate(pieces)
      }),
    )
    const proof = aggregate.prove(run)
    verify.push(timeOf(() => resolveAggregate(pieces[run] ?? piece, proof)))
  }
  const row = (what: string, ms: number, most: number): Row => ({
    what,
    ours: `${formatNumber(ms)} ms`,
    against: '–',
    ratio: undefined,
    goal: `≤ ${most} ms`,
    reached: ms <= most,
  })
  return [row('aggregate of 1,000 pieces', median(build), 500), row('one inclusion proof verified', median(verify), 5)]
}

async function measureFirstProof(scratch: string, runs: number): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const { profile } = network
  const apiKey = await createApiKey(createClient({ network: profile }), {
    privateKey: profile.wallet?.privateKey ?? '',
  })
  const client = createClient({ network: profile, apiKey })
  const first: number[] = []
  const check: number[] = []
  for (let run = 0; run < runs; run++) {
    const started = performance.now()
    const { cid } = await uploadBytes(client, fill(new Uint8Array(100_000)), { name: `bench-${run}` })
    await waitForProof(client, cid, { waitMs: 60_000 })
    first.push(performance.now() - started)
    const begun = performance.now()
    const { isProven } = await verifyStorage(client, cid)
    if (!isProven) throw new Error('the storage could not be verified')
    check.push(performance.now() - begun)
  }
  const [ms, verifyMs] = [median(first), median(check)]
  return [
    {
      what: 'small file: from upload to the first proof of possession',
      ours: `${formatNumber(ms / 1000)} s`,
      against: '–',
      ratio: undefined,
      goal: '≤ 10 s',
      reached: ms <= 10_000,
    },
    {
      what: 'verifyStorage with a challenge to every provider',
      ours: `${formatNumber(verifyMs)} ms`,
      against: '–',
      ratio: undefined,
      goal: '≤ 1000 ms',
      reached: verifyMs <= 1000,
    },
  ]
}

export const proofsBench: Bench = {
  name: 'proofs',
  about:
    'Piece commitments compared with the reference library `@web3-storage/data-segment`, and the time until a file is proven.',
  async run({ scratch, runs }: BenchOptions): Promise<Row[]> {
    return [
      ...(await measureCommitments(runs)),
      ...(await measureAggregates(runs)),
      ...(await measureFirstProof(scratch, runs)),
    ]
  },
}

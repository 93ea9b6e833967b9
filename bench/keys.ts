import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { generateKey, recoverKey } from '@cairn/crypto'
import type { KeyShard } from '@cairn/protocol'
import {
  createApiKey,
  createClient,
  decryptBytes,
  downloadBytes,
  loadNetwork,
  openKeySession,
  prepareKey,
  revokeAccess,
  saveKey,
  shareFile,
  uploadEncryptedText,
} from '@cairn/sdk'
import { CID } from 'multiformats/cid'
import * as raw from 'multiformats/codecs/raw'
import { create } from 'multiformats/hashes/digest'
import { startNetwork } from './network.ts'
import { type Bench, type BenchOptions, formatNumber, median, type Row } from './report.ts'

type Kavach = {
  generate(): Promise<{ masterKey: string; keyShards: KeyShard[] }>
  recoverKey(shards: KeyShard[]): Promise<{ masterKey: string }>
}

const require = createRequire(import.meta.url)
const rounds = 100

async function timeEach(times: number, work: (turn: number) => unknown): Promise<number[]> {
  const all: number[] = []
  for (let turn = 0; turn < times; turn++) {
    const started = performance.now()
    await work(turn)
    all.push(performance.now() - started)
  }
  return all
}

function p95(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN
}

function limit(what: string, ms: number, most: number, against = '–', ratio?: number): Row {
  return {
    what,
    ours: `${formatNumber(ms)} ms`,
    against,
    ratio,
    goal: `≤ ${most} ms`,
    reached: ms <= most,
  }
}

async function measureSplitting(): Promise<Row[]> {
  const kavach: Kavach = (require('kavach-0.2.1') as { default: Kavach }).default
  const { keyShards } = generateKey()
  const three = keyShards.slice(0, 3)
  const ours = {
    split: await timeEach(rounds, () => generateKey()),
    recover: await timeEach(rounds, () => recoverKey(three)),
  }
  const few = 20
  const theirs = {
    split: await timeEach(few, () => kavach.generate()),
    recover: await timeEach(few, () => kavach.recoverKey(three)),
  }
  return (['split', 'recover'] as const).map((what) => {
    const [own, other] = [median(ours[what]), median(theirs[what])]
    const name = what === 'split' ? 'generate and split a key' : 'recover a key of three shards'
    return limit(name, own, 1, `published client: ${formatNumber(other)} ms`, other / own)
  })
}

async function measureNodes(scratch: string): Promise<Row[]> {
  await using network = await startNetwork(join(scratch, 'home'))
  const profile = await loadNetwork(join(network.home, 'network.json'))
  const privateKey = profile.wallet?.privateKey ?? ''
  const anonymous = createClient({ network: profile })
  const apiKey = await createApiKey(anonymous, { privateKey })
  const opening = await timeEach(20, () => openKeySession(anonymous, { privateKey }))
  const client = createClient({ network: profile, apiKey, keySession: await openKeySession(anonymous, { privateKey }) })
  const cids = Array.from({ length: 40 }, (_one, i) => {
    const digest = createHash('sha256').update(`bench ${i}`).digest()
    return CID.create(1, raw.code, create(0x12, digest)).toString()
  })
  const friend = `0x${'7'.repeat(40)}`
  const cid = (turn: number) => cids[turn] ?? ''
  const save = await timeEach(cids.length, (turn) => saveKey(client, cid(turn), prepareKey()))
  const share = await timeEach(cids.length, (turn) => shareFile(client, cid(turn), [friend]))
  const revoke = await timeEach(cids.length, (turn) => revokeAccess(client, cid(turn), [friend]))
  const stored = await uploadEncryptedText(client, 'x'.repeat(1000))
  const second = await uploadEncryptedText(client, 'y'.repeat(1000), { format: 'v2' })
  const fetching = await timeEach(20, () => downloadBytes(client, stored.cid))
  const openFirst = await timeEach(20, () => decryptBytes(client, stored.cid))
  const openSecond = await timeEach(20, () => decryptBytes(client, second.cid))
  const openWhole = await timeEach(20, async () => {
    const keySession = await openKeySession(anonymous, { privateKey })
    await decryptBytes(createClient({ network: profile, keySession }), stored.cid)
  })
  return [
    limit('open a session with five nodes: nonces, signature, tokens', median(opening), 150),
    limit(
      'open a file of the second format: three shards, decrypted',
      median(openSecond),
      60,
      `fetching its bytes alone: ${formatNumber(median(fetching))} ms`,
    ),
    limit('open a file of the first format, which needs 250,000 rounds of PBKDF2', median(openFirst), 60),
    limit('open a session and a file of the first format with it', median(openWhole), 150),
    limit('save a key on five nodes, p95', p95(save), 80),
    limit('share with five nodes, p95', p95(share), 80),
    limit('revoke on five nodes, p95', p95(revoke), 80),
  ]
}

async function run({ scratch }: BenchOptions): Promise<Row[]> {
  return [...(await measureSplitting()), ...(await measureNodes(scratch))]
}

export const keysBench: Bench = {
  name: 'keys',
  about: 'Keys and their shards, on this machine and on five key nodes of the local network (pause 0).',
  run,
}

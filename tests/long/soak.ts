import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { NetworkProfile } from '@cairn/protocol'
import {
  type Coin,
  decryptBytes,
  pay,
  shareFile,
  uploadBytes,
  uploadEncryptedBytes,
  useFaucet,
  verifyStorage,
  waitForCredit,
} from '@cairn/sdk'
import { createKeyClient } from '../fixtures.ts'
import { freeOffset } from '../free-offset.ts'
import { readProfile, startNetworkProgram, stopProgram } from '../network-program.ts'
import { descendantsOf, isRunning, residentMib } from '../process-tree.ts'
import { untilProven } from '../until-proven.ts'

export type SoakReport = {
  rounds: number
  /** Resident memory of all processes together, in MiB, after the first and the last round. */
  residentMib: readonly [first: number, last: number]
  /** Log lines of the watchdog: a busy machine can be the cause, so they are reported but are not failures. */
  watchdog: string[]
  exitCode: number | null
  /** Processes that outlived it. */
  left: string[]
}

const coins: readonly Coin[] = ['native', 'usdc', 'usdt', 'dai']
const roundMs = 60_000
/** Per call: busy services respond in the end, dead ones do not. */
const limitMs = 120_000

/**
 * Runs `npm start` for the given number of minutes. Each minute it checks that all parts are ready, pays, shares an
 * encrypted file with another account that opens it, and has a file proven.
 * @param print receives the duration of each round
 * @throws the first failure
 */
export async function soak(minutes: number, print: (line: string) => void): Promise<SoakReport> {
  const home = mkdtempSync(join(tmpdir(), 'cairn-soak-'))
  const { child, output, ready } = await startNetworkProgram({ home, offset: await freeOffset() })
  const parts = [{ pid: child.pid ?? 0, command: 'npm start' }, ...descendantsOf(child.pid ?? 0)]
  const resident: number[] = []
  let rounds = 0
  try {
    if (!ready) throw new Error(`The network did not start: ${output()}`)
    const profile = readProfile(home)
    const end = performance.now() + minutes * 60_000
    for (;;) {
      const began = performance.now()
      await runRound(profile, rounds).catch((cause: unknown) => {
        throw new Error(`Round ${rounds + 1} failed. The network printed: ${output().slice(-4_000)}`, { cause })
      })
      rounds++
      resident.push(residentMib(parts.map(({ pid }) => pid)))
      const took = ((performance.now() - began) / 1000).toFixed(1)
      print(`round ${rounds}: ready, paid, shared, proven in ${took} s; ${resident.at(-1)} MiB resident`)
      if (performance.now() >= end) break
      await delay(Math.max(0, roundMs - (performance.now() - began)))
    }
    const exitCode = await stopProgram(child, 'SIGINT')
    return {
      rounds,
      residentMib: [resident[0] ?? 0, resident.at(-1) ?? 0],
      watchdog: output()
        .split('\n')
        .filter((line) => /^(The|Key|Storage) .* (does not respond|is available again)/.test(line)),
      exitCode,
      left: parts.filter(({ pid }) => isRunning(pid)).map(({ command }) => command),
    }
  } finally {
    for (const { pid } of parts) if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

async function runRound(profile: NetworkProfile, round: number): Promise<void> {
  await requireReady(profile)
  const owner = { ...(await createKeyClient({ profile })), callTimeoutMs: limitMs }
  const friend = { ...(await createKeyClient({ profile })), callTimeoutMs: limitMs }

  await useFaucet(owner, owner.address)
  const coin = coins[round % coins.length] ?? 'native'
  const paid = await pay(owner, { privateKey: owner.privateKey }, { sizeBytes: 1_000_000, coin })
  const [payment] = await waitForCredit(owner, paid.network, paid.txHash)
  if (payment?.state !== 'credited') throw new Error(`A payment in ${coin} is ${payment?.state}`)

  const secret = new Uint8Array(randomBytes(50_000))
  const { cid } = await uploadEncryptedBytes(owner, secret, { name: 'secret' })
  await shareFile(owner, cid, [friend.address])
  if (!isDeepStrictEqual(await decryptBytes(friend, cid), secret)) throw new Error(`${cid} opens to something else`)

  const plain = await uploadBytes(owner, randomBytes(200_000), { name: 'plain' })
  await untilProven(owner, plain.cid)
  const { isProven } = await verifyStorage(owner, plain.cid, { full: true })
  if (!isProven) throw new Error(`${plain.cid} is not proven`)
}

async function requireReady({ api, gateway, keyRouter, keyNodes = [], providers = [], chain }: NetworkProfile) {
  const services = [api, keyRouter, ...keyNodes, ...providers.map(({ url }) => url)]
  const urls = [
    ...services.filter((url) => url !== undefined).map((url) => `${url}/readyz`),
    `${gateway}/ipfs/bafkqaaa`,
  ]
  const asked = urls.map((url) => requireOk(url))
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const headers = { 'content-type': 'application/json' }
  if (chain === undefined) throw new Error('The network has no chain')
  await Promise.all([...asked, requireOk(chain.rpcUrl, { method: 'POST', headers, body })])
}

async function requireOk(url: string, init: RequestInit = {}): Promise<void> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(limitMs) })
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}

import { MIB, type ReceivedParameters } from '@cairn/protocol'
import type { PostgresFixture } from '@cairn/service/postgres-fixture'
import { CID } from 'multiformats/cid'
import { feedFrom } from '../multipart/read-multipart.ts'
import { createPieceHashing } from '../pieces/hashing.ts'
import type { PieceMaking } from '../pieces/make-pieces.ts'
import { pipeline } from '../proofs/pipeline.ts'
import { createProofs, type Proofs } from '../proofs/proofs.ts'
import type { Provider } from '../providers/provider.ts'
import { addFiles } from '../uploads/add-files.ts'
import { openTestContext, type TestContext, testAddress } from '../uploads/open-test-context.suite.ts'
import { readUploadSettings } from '../uploads/upload-settings.ts'
import type { WorkerClock } from '../workers/worker.ts'
import type { Driving } from './drive-deal.ts'
import { createKeptProvider, type KeptProvider } from './kept-provider.fixture.ts'
import { createNonceSource, type NonceSource } from './nonces.ts'

export const challengeMs = 60_000
export const waitMs = 10_000

/** Uploads, pieces and deals with three in-process providers, and a clock that the test controls. */
export type OpenDeals = AsyncDisposable & {
  readonly test: TestContext
  readonly clock: { ms: number; now(): number }
  readonly providers: readonly KeptProvider[]
  readonly proofs: Proofs
  readonly driving: Driving
  readonly making: PieceMaking
  upload(name: string, content: Uint8Array, parameters?: ReceivedParameters): Promise<CID>
  /** Runs all workers repeatedly while time passes. */
  goOn(ms: number, stepMs?: number): Promise<void>
  /** Provider and state of each deal. */
  states(): Promise<string[]>
  /** Providers that keep content. */
  keepers(): KeptProvider[]
}

/** @param own the test's own providers instead of the three, the source of nonces, and the clock of waits for uploads */
export async function openDeals(
  kind: 'sqlite' | 'postgres',
  postgres: PostgresFixture | undefined,
  settings: Record<string, number> = {},
  own: { providers?: readonly Provider[]; nonces?: NonceSource; priorityClock?: WorkerClock } = {},
): Promise<OpenDeals> {
  const clock = { ms: Date.now(), now: () => clock.ms }
  const deals = {
    copies: 2,
    maxCopies: 3,
    waitSeconds: waitMs / 1000,
    challengeSeconds: challengeMs / 1000,
    pollMs: 1000,
    pieceBytes: 4 * MIB,
    ...settings,
  }
  const database =
    kind === 'sqlite' || postgres === undefined
      ? undefined
      : { kind, url: await postgres.createDatabase(), poolSize: 4 }
  const test = await openTestContext(
    200 * MIB,
    { CAIRN_DEALS: JSON.stringify(deals) },
    {
      clock,
      ...(database === undefined ? {} : { database }),
      ...(own.priorityClock === undefined ? {} : { priorityClock: own.priorityClock }),
    },
  )
  const { context } = test
  const kept: KeptProvider[] = ['one', 'two', 'six'].map((name) =>
    createKeptProvider(name, (piece, token) => proofs.openPayload(piece, token)),
  )
  const providers: readonly Provider[] = own.providers ?? kept
  const proofs = createProofs(context, providers)
  const hashing = createPieceHashing()
  const making: PieceMaking = { context, hashing, setAside: new Map() }
  const nonces = own.nonces ?? createNonceSource(undefined, () => undefined)
  const driving: Driving = { context, providers, pullUrl: 'http://storage.test', nonces }
  const { signal } = new AbortController()
  return {
    test,
    clock,
    providers: kept,
    proofs,
    driving,
    making,
    async upload(name, content, parameters = {}) {
      const head = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`
      const body = Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n--b--\r\n')])
      const options = {
        boundary: 'b',
        bodyBytes: undefined,
        ...readUploadSettings(parameters, 1),
        onlyHash: false,
        isKubo: false,
      }
      const { roots } = await addFiles(context, testAddress, feedFrom([body]), options)
      return CID.parse(roots[0]?.Hash ?? '')
    },
    async goOn(ms, stepMs = 1000) {
      for (let gone = 0; gone < ms; gone += stepMs) {
        clock.ms += stepMs
        const names = providers.map(({ name }) => name)
        for (const { lane, pace, run } of pipeline) {
          if (pace !== 'round') continue
          const runs = lane === 'provider' ? names : [undefined]
          await Promise.all(runs.map((provider) => run({ context, making, driving, provider, signal })))
        }
      }
    },
    async states() {
      const rows = await context.db.read.selectFrom('deal').select(['provider', 'state']).orderBy('number').execute()
      return rows.map(({ provider, state }) => `${provider} ${state}`)
    },
    keepers: () => kept.filter(({ pieces }) => pieces.size > 0),
    async [Symbol.asyncDispose]() {
      await hashing.close()
      await test[Symbol.asyncDispose]()
    },
  }
}

/** Pseudo-random bytes, the same each time. */
export function fill(sizeBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes)
  for (let at = 0; at < sizeBytes; at++) bytes[at] = Math.imul(at + seed * 7919, 2_654_435_761) >>> 21
  return bytes
}

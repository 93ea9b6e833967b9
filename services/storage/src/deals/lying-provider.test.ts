// A provider that lost data and stays silent instead of admitting it, over HTTP, with nonces that are the same in
// every run.
import { MIB } from '@cairn/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSeededNonces, type LyingProvider, startLyingProvider } from './lying-provider.fixture.ts'
import { challengeMs, fill, type OpenDeals, openDeals, waitMs } from './open-deals.fixture.ts'

/** Each upload fills 28 % of its own aggregate; the rest is padding. */
const uploads = 8
const uploadBytes = 2.2 * MIB
const stepMs = 500

let liar: LyingProvider
let deals: OpenDeals
beforeEach(async () => {
  const clock = { now: () => deals?.clock.now() ?? 0 }
  liar = await startLyingProvider((piece, token) => deals.proofs.openPayload(piece, token), clock)
  const settings = { copies: 1, maxCopies: 1, targetBytes: 8 * MIB }
  const own = { providers: [liar.provider], nonces: createSeededNonces('lying') }
  deals = await openDeals('sqlite', undefined, settings, own)
  for (let at = 0; at < uploads; at++) await deals.upload(`${at}`, fill(uploadBytes, at + 1))
  await deals.goOn(waitMs + 3000, stepMs)
})
afterEach(async () => {
  await deals[Symbol.asyncDispose]()
  await liar[Symbol.asyncDispose]()
})

const db = () => deals.test.context.db.read
/** The first deals, in order; later ones replace what was lost. */
const readDeals = () => db().selectFrom('deal').selectAll().orderBy('number').limit(uploads).execute()
const readChecks = (deal: number) =>
  db().selectFrom('possession_check').selectAll().where('deal_number', '=', deal).orderBy('id').execute()

it('the first challenge detects a provider that keeps nothing but trees', async () => {
  const before = await readDeals()
  expect(before.map(({ state }) => state)).toEqual(Array(uploads).fill('proving'))
  expect(liar.lose(() => true)).toBe(1)
  await deals.goOn(challengeMs * 0.75, stepMs)
  for (const [at, deal] of (await readDeals()).entries()) {
    expect(deal).toMatchObject({ state: 'proving', proofs: before[at]?.proofs, proven_at: before[at]?.proven_at })
    expect(deal.silent_since).toBeGreaterThan(before[at]?.proven_at ?? 0)
  }
  await deals.goOn(challengeMs / 2, stepMs)
  for (const [at, deal] of (await readDeals()).entries()) {
    expect(deal).toMatchObject({ state: 'faulted', proofs: before[at]?.proofs, faults: 1 })
    // One nonce, repeated, with each silence recorded.
    const silent = (await readChecks(deal.number)).filter(({ outcome }) => outcome === 'silent')
    expect(silent.length).toBeGreaterThan(3)
    expect(new Set(silent.map(({ nonce }) => nonce)).size).toBe(1)
  }
})

it.each([0, 3])(
  'three periods detect a provider that keeps nine tenths and answers after %i silences',
  async (silences) => {
    let held = 0
    expect(liar.lose(() => held++ % 10 === 4)).toBeCloseTo(0.1, 2)
    liar.stallCount = silences
    const lostAt = deals.clock.now()
    await deals.goOn(challengeMs * 3, stepMs)
    for (const { number, faults } of await readDeals()) {
      expect(faults).toBe(1)
      const last = (await readChecks(number)).at(-1)
      expect(last?.outcome).toBe('silent')
      expect((last?.asked_at ?? 0) - lostAt).toBeLessThanOrEqual(challengeMs * 3)
    }
  },
)

it('a silence is shown until the provider answers the same nonce', async () => {
  const [before] = await readDeals()
  if (before === undefined) throw new Error('there is no deal')
  const aggregate = await db()
    .selectFrom('aggregate')
    .selectAll()
    .where('id', '=', before.aggregate_id)
    .executeTakeFirst()
  if (aggregate === undefined) throw new Error('there is no aggregate')
  const shown = async () => {
    const [deal] = await readDeals()
    return deals.proofs.describeDeal(deal ?? before, aggregate)
  }
  const readOutcomes = async () => (await readChecks(before.number)).slice(1)
  liar.stallCount = 2
  while ((await readOutcomes()).length < 2) await deals.goOn(stepMs, stepMs)
  const [first] = await readOutcomes()
  expect(await shown()).toMatchObject({ state: 'proving', silentSince: first?.asked_at })
  while ((await readOutcomes()).length < 3) await deals.goOn(stepMs, stepMs)
  expect(await shown()).toMatchObject({ state: 'proving', silentSince: null, proofs: 2, faults: 0 })
  const checks = await readOutcomes()
  expect(checks.map(({ outcome }) => outcome)).toEqual(['silent', 'silent', 'proved'])
  expect(new Set(checks.map(({ nonce }) => nonce)).size).toBe(1)
})

it('challenges respect the rate that a provider announces, and waiting ones do not count as silence', async () => {
  liar.challengesPerMinute = 4
  await liar.provider.ping({ signal: new AbortController().signal })
  const [before, proofs] = [liar.challenges, (await readDeals()).reduce((sum, deal) => sum + deal.proofs, 0)]
  // The service was down long enough for everything to be overdue.
  deals.clock.ms += challengeMs * 3
  await deals.goOn(stepMs, stepMs)
  expect(liar.challenges - before).toBe(4)
  await deals.goOn(61_000, stepMs)
  expect(liar.challenges - before).toBe(8)
  const after = await readDeals()
  expect(after.reduce((sum, deal) => sum + deal.proofs, 0)).toBe(proofs + 8)
  for (const deal of after) {
    expect(deal).toMatchObject({ state: 'proving', tries: 0, silent_since: null })
    expect((await readChecks(deal.number)).map(({ outcome }) => outcome)).not.toContain('silent')
  }
})

it('a provider that accepts no challenges is asked again, and is dropped like a silent one', async () => {
  liar.isBusy = true
  await deals.goOn(challengeMs * 1.5, stepMs)
  for (const deal of await readDeals()) {
    expect(deal).toMatchObject({ state: 'proving', tries: 0, silent_since: null })
    expect(await readChecks(deal.number)).toHaveLength(1)
  }
  await deals.goOn(challengeMs * 1.5, stepMs)
  expect((await readDeals()).map(({ state }) => state)).toEqual(Array(uploads).fill('faulted'))
})

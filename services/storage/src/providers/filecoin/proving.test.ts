import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMissedWindow, type ProvingState } from './proving.ts'

const period = 240n
const window = 20n

/** The life of a data set: its periods as the contract counts them. */
class DataSet {
  activatedAt = 0n
  deadline = 0n
  isProven = false
  provenAt: bigint
  range = 0
  pieces = 1

  constructor(createdAt: bigint) {
    this.provenAt = createdAt
  }

  begin(at: bigint): void {
    if (this.deadline === 0n) {
      this.activatedAt = at
      this.deadline = at + period
    } else {
      if (at <= this.deadline - period) throw new Error('NextProvingPeriodAlreadyCalled')
      const skipped = at <= this.deadline ? 0n : (at - (this.deadline + 1n)) / period
      this.deadline += period * (skipped + 1n)
    }
    this.isProven = false
    this.range = this.pieces
  }

  prove(at: bigint): void {
    if (at < this.deadline - window || at > this.deadline || this.isProven) throw new Error('not now')
    this.isProven = true
    this.provenAt = at
  }

  inspect(at: bigint, piece: number): ProvingState {
    const { activatedAt, deadline, isProven, provenAt } = this
    return { at, isChallengeable: piece < this.range, activatedAt, deadline, isProven, periodEpochs: period, provenAt }
  }
}

const created = 1000n

/**
 * Simulates periods; `proves` selects those that get their proof. Checks every epoch at which something changes, and
 * between them.
 */
function play(
  {
    beginsAfter,
    keptAfter,
    delays,
    proves,
  }: { beginsAfter: bigint; keptAfter: bigint; delays: bigint[]; proves: boolean[] },
  see: (state: ProvingState, keptSince: bigint) => void,
): void {
  const set = new DataSet(created)
  const kept = created + keptAfter
  let now = created
  const pass = (to: bigint): void => {
    for (; now < to; now++) {
      if (now < kept) continue
      set.pieces = 2
      if (now % 7n === 0n || now + 1n === to) see(set.inspect(now, 1), kept)
    }
  }
  pass(created + beginsAfter)
  set.begin(now)
  proves.forEach((isProven, at) => {
    const delay = delays[at] ?? 0n
    pass(set.deadline - window + (delay % window))
    if (isProven) set.prove(now)
    // It may continue right after the proof or later, but never before the previous deadline.
    pass(now + delay + 1n)
    if (!isProven && now <= set.deadline) pass(set.deadline + 1n)
    set.begin(now)
  })
  pass(now + 2n)
}

const ways = fc.record({
  beginsAfter: fc.bigInt(1n, period),
  keptAfter: fc.bigInt(0n, 3n * period),
  delays: fc.array(fc.bigInt(0n, period - window - 2n), { minLength: 6, maxLength: 6 }),
})

describe('windows', () => {
  it('are never missed by a provider that proves every period, in any order of its work', () => {
    fc.assert(
      fc.property(ways, (way) => {
        play({ ...way, proves: Array(6).fill(true) }, (state, kept) =>
          expect(findMissedWindow(state, kept)).toBeUndefined(),
        )
      }),
    )
  })

  it('are missed by a provider that skips a period of the piece', () => {
    fc.assert(
      fc.property(ways, fc.integer({ min: 4, max: 5 }), (way, skipped) => {
        const proves = Array.from({ length: 6 }, (_, at) => at !== skipped)
        const output = new Set<string | undefined>()
        play({ ...way, proves }, (state, kept) => output.add(findMissedWindow(state, kept)?.reason))
        const last = [...output].at(-1)
        expect(last ?? '').toContain('No proof was submitted in the window')
      }),
    )
  })

  it('are missed by one that never begins, and by one that goes silent', () => {
    const set = new DataSet(created)
    expect(findMissedWindow(set.inspect(created + 2n * period, 0), created)).toBeUndefined()
    expect(findMissedWindow(set.inspect(created + 2n * period + 1n, 0), created)?.reason).toContain(
      'did not start a proving period',
    )
    set.begin(created)
    set.prove(created + period)
    expect(findMissedWindow(set.inspect(created + 2n * period, 0), created)).toBeUndefined()
    expect(findMissedWindow(set.inspect(created + 2n * period + 1n, 0), created)?.reason).toContain(
      `${created + 2n * period}`,
    )
  })
})

import type { HalfDone, RepairReport } from '@cairn/sdk'

type Change = Pick<HalfDone, 'kind' | 'address'>

const names: Record<HalfDone['kind'], (address: string) => string> = {
  share: (address) => `The share with ${address}`,
  revoke: (address) => `The revocation of ${address}`,
  transfer: (address) => `The transfer to ${address}`,
  conditions: () => 'The change of conditions',
  retire: () => 'The retirement of the key',
  save: () => 'The new key',
}

function nameOf({ kind, address = 'another address' }: Change): string {
  return names[kind](address)
}

/** Describes a change that some nodes applied and others lack, in one sentence. */
export function showHalfDone(change: HalfDone): string {
  const { nodes, missing, isInForce } = change
  const force = isInForce ? 'active' : 'not active'
  return `${nameOf(change)} is incomplete and ${force}: nodes ${nodes.join(', ')} have it, nodes ${missing.join(', ')} do not.`
}

/** Describes the outcome of such a change after a repair, in one sentence. */
export function showOutcome(change: RepairReport['changes'][number]): string {
  const { outcome } = change
  if (outcome === 'finished') return `${nameOf(change)} was incomplete and is now complete.`
  if (outcome === 'taken back')
    return `${nameOf(change)} was incomplete and is reverted, because fewer than three nodes had it.`
  return `${nameOf(change)} is still incomplete. Repeat the change, or run the repair again in a minute.`
}

import type { HalfDone, RepairReport } from '@cairn/sdk'

type Change = Pick<HalfDone, 'kind' | 'address'>

const names: Record<HalfDone['kind'], (address: string) => string> = {
  share: (address) => `The share with ${address}`,
  revoke: (address) => `The revocation of ${address}`,
  transfer: (address) => `The transfer to ${address}`,
  conditions: () => 'The change of conditions',
  retire: () => 'The retirement of the key',
  save: () => 'The save of a key',
}

function nameOf({ kind, address = 'another address' }: Change): string {
  return names[kind](address)
}

/** One sentence about a change that some nodes have and others lack. */
export function sayHalfDone(change: HalfDone): string {
  const { nodes, missing, isInForce } = change
  const force = isInForce ? 'it is in force' : 'it is not in force'
  return `${nameOf(change)} is half done, ${force}: nodes ${nodes.join(', ')} have it, nodes ${missing.join(', ')} do not.`
}

/** One sentence about what a repair did with such a change. */
export function sayOutcome(change: RepairReport['changes'][number]): string {
  const { outcome } = change
  if (outcome === 'finished') return `${nameOf(change)} was half done: it is finished.`
  if (outcome === 'taken back')
    return `${nameOf(change)} was half done: it is taken back, because fewer than three nodes had it.`
  return `${nameOf(change)} is still half done: make the change again, or repair again in a minute.`
}

import { type KeyStatus, keyShardThreshold } from '@cairn/protocol'
import { groupBy } from './group-by.ts'

/** A change that some nodes applied and others lack. */
export type HalfDone = {
  kind: 'share' | 'revoke' | 'transfer' | 'conditions' | 'retire' | 'save'
  /** Nodes that applied it, and nodes that lack it. */
  nodes: number[]
  missing: number[]
  /** Whether three nodes applied it: the change counts, and the others only need to catch up. */
  isInForce: boolean
  /** The address it concerns: shared with, revoked, or the new owner. */
  address?: string
}

/** The status that one node reports. */
export type NodeStatus = { node: number; status: KeyStatus }

/**
 * Finds the changes on which nodes differ. A single node can invent any of them, so the caller decides what to apply.
 * @param all the nodes that report a status
 * @param empty nodes that store nothing for the file
 * @param agreed the status that three of them agree on
 */
export function findHalfDone(
  all: readonly NodeStatus[],
  empty: readonly number[],
  agreed: KeyStatus | undefined,
): HalfDone[] {
  const owner = agreed?.owner ?? mostCommon(all.map(({ status }) => status.owner))
  // Nodes with another owner report on a user who is not, or not yet, the owner.
  const own = all.filter(({ status }) => status.owner === owner)
  return [
    ...findTransfers(all, own, agreed),
    ...findAddresses(own),
    ...compare(own, 'retire', ({ state }) => (state === 'retired' ? 'retired' : '')),
    ...findConditions(
      own.filter(({ status }) => status.state !== 'retired'),
      agreed,
    ),
    ...findSets(own, empty),
  ]
}

function findTransfers(
  all: readonly NodeStatus[],
  own: readonly NodeStatus[],
  agreed: KeyStatus | undefined,
): HalfDone[] {
  const others = all.filter((one) => !own.includes(one))
  return groupBy(others, ({ status }) => status.owner).map(([address, named]) => {
    const isAhead = agreed === undefined || named.some(({ status }) => status.version > agreed.version)
    if (isAhead) return describe('transfer', named, without(all, named), address)
    return describe('transfer', own, named, own[0]?.status.owner)
  })
}

/**
 * An address that only some nodes list was shared with or revoked. The node that knows of more revocations is ahead.
 */
function findAddresses(own: readonly NodeStatus[]): HalfDone[] {
  const addresses = new Set(own.flatMap(({ status }) => status.sharedTo))
  return [...addresses].sort().flatMap((address) => {
    const listing = own.filter(({ status }) => status.sharedTo.includes(address))
    const others = without(own, listing)
    if (others.length === 0) return []
    const revoking = findRevoking(listing, others, address)
    if (revoking.length > 0) return [describe('revoke', revoking, listing, address)]
    // A retired key is shared with no address, including earlier recipients.
    const lacking = others.filter(({ status }) => status.state !== 'retired')
    return lacking.length === 0 ? [] : [describe('share', listing, lacking, address)]
  })
}

/**
 * Among the nodes that do not list an address, returns those with a revocation that two of the others cannot know of.
 */
function findRevoking(
  listing: readonly NodeStatus[],
  others: readonly NodeStatus[],
  address: string,
): readonly NodeStatus[] {
  const heard = listing.map(({ status }) => timesOf(status, address)).sort((a, b) => b - a)
  // A node that lists the address could claim any number.
  const minTimes = heard[1] ?? heard[0] ?? 0
  return others.filter(({ status }) => timesOf(status, address) > minTimes)
}

function timesOf({ revocations }: KeyStatus, address: string): number {
  return revocations.find((one) => one.address === address)?.times ?? 0
}

function findConditions(own: readonly NodeStatus[], agreed: KeyStatus | undefined): HalfDone[] {
  const base = agreed?.conditionsId ?? null
  const groups = groupBy(own, ({ status }) => status.conditionsId ?? '')
  if (groups.length < 2) return []
  return groups.flatMap(([id, named]) => {
    if (agreed !== undefined && id === (base ?? '')) return []
    const isBehind = agreed !== undefined && named.every(({ status }) => status.version < agreed.version)
    return [
      isBehind
        ? describe('conditions', without(own, named), named)
        : describe('conditions', named, without(own, named)),
    ]
  })
}

/** Another key is stored next to a pending set and active on some nodes; a first key on nodes that store nothing. */
function findSets(own: readonly NodeStatus[], empty: readonly number[]): HalfDone[] {
  const waiting = new Set(own.flatMap(({ status }) => (status.pendingSetId === null ? [] : [status.pendingSetId])))
  const found = [...waiting].map((set) => {
    const nodes = own.filter(({ status }) => status.setId === set || status.pendingSetId === set)
    return describe('save', nodes, without(own, nodes))
  })
  const inForce = groupBy(own, ({ status }) => status.setId)
  const [newest] = [...inForce].sort(([, a], [, b]) => versionOf(b) - versionOf(a))
  if (found.length === 0 && newest !== undefined && (inForce.length > 1 || empty.length > 0)) {
    const [, nodes] = newest
    const { missing, ...rest } = describe('save', nodes, without(own, nodes))
    return [{ ...rest, missing: [...missing, ...empty].sort((a, b) => a - b) }]
  }
  return found
}

function versionOf(nodes: readonly NodeStatus[]): number {
  return Math.max(...nodes.map(({ status }) => status.version))
}

function compare(
  own: readonly NodeStatus[],
  kind: HalfDone['kind'],
  nameOf: (status: KeyStatus) => string,
): HalfDone[] {
  const having = own.filter(({ status }) => nameOf(status) !== '')
  return having.length === 0 || having.length === own.length ? [] : [describe(kind, having, without(own, having))]
}

function describe(
  kind: HalfDone['kind'],
  having: readonly NodeStatus[],
  lacking: readonly NodeStatus[],
  address?: string,
): HalfDone {
  const numbers = (nodes: readonly NodeStatus[]) => nodes.map(({ node }) => node).sort((a, b) => a - b)
  return {
    kind,
    nodes: numbers(having),
    missing: numbers(lacking),
    isInForce: having.length >= keyShardThreshold,
    ...(address === undefined ? {} : { address }),
  }
}

function without<T>(list: readonly T[], some: readonly T[]): T[] {
  return list.filter((one) => !some.includes(one))
}

function mostCommon(list: readonly string[]): string | undefined {
  return groupBy(list, (one) => one).sort(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

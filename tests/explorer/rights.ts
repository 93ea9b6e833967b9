import type { NodeMachine } from './node-machine.ts'
import type { Intent } from './operations.ts'
import { cid, nodeNumbers, type Party, parties, partyNames } from './parties.ts'
import { requestOf } from './requests.ts'
import { type Rules, stateAt, type World } from './world.ts'

/** The owner and readers of the file when the operations of a scenario started. */
export type Start = {
  owner: Party | undefined
  readers: readonly Party[]
  /** Parties whose right is uncertain: the change that removes it is half done, and a repair may complete it. */
  unsure?: readonly Party[]
}

export const threshold = 3

const given = new WeakMap<NodeMachine, Map<string, readonly string[]>>()

/** The sets of which a node in this state returns its shard to a party. */
async function setsGiven(nodes: NodeMachine, state: number, party: Party): Promise<readonly string[]> {
  const known = given.get(nodes) ?? new Map<string, readonly string[]>()
  given.set(nodes, known)
  const name = `${state} ${party}`
  const found = known.get(name)
  if (found !== undefined) return found
  const body = JSON.stringify({ address: parties[party], cid, withAlternatives: true })
  const request = requestOf('retrieveShard', `${party}.any`, body)
  const { answer } = await nodes.run(state, request, { heard: [null, null, null, null] })
  const sets = answer?.status === 200 ? readSets(answer.body) : []
  known.set(name, sets)
  return sets
}

function readSets(body: string): string[] {
  type Given = { payload: { $set: string } }
  const { payload, alternatives = [] }: Given & { alternatives?: Given[] } = JSON.parse(body)
  return [...new Set([payload.$set, ...alternatives.map((other) => other.payload.$set)])]
}

/** How many shards of one set honest nodes return to a party. */
export async function countShards(rules: Rules, world: Pick<World, 'nodes'>, party: Party): Promise<number> {
  const counts = new Map<string, number>()
  for (const node of nodeNumbers) {
    if (node === rules.liar?.node) continue
    for (const set of await setsGiven(rules.nodes, stateAt(world, node), party))
      counts.set(set, (counts.get(set) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

/** Whether an operation was reported in force, regardless of which of its nodes lie. */
export function isInForce(rules: Rules, { clients }: World, i: number): boolean {
  const outcome = clients[i]?.outcome
  if (outcome?.kind !== 'done') return false
  const { isEffective, withstands = 0 }: { isEffective?: boolean; withstands?: number } = Object(outcome.value)
  return isEffective === true && (rules.liar === undefined || withstands >= 1)
}

/** Parties that may own the file; requests of others are ignored. */
function mayOwn({ owner }: Start, operations: readonly Intent[]): Set<Party> {
  const owners = new Set<Party>(owner === undefined ? [] : [owner])
  for (let before = -1; before < owners.size; ) {
    before = owners.size
    for (const { kind, by, whom } of operations) {
      if (kind === 'save' && owner === undefined) owners.add(by)
      if (kind === 'transfer' && whom !== undefined && owners.has(by)) owners.add(whom)
    }
  }
  return owners
}

function isGranting({ kind, by, whom }: Intent, party: Party): boolean {
  if (kind === 'save') return by === party
  return (kind === 'share' || kind === 'transfer' || kind === 'set conditions') && whom === party
}

function isTaking({ unsure = [] }: Start, { kind, by, whom }: Intent, party: Party): boolean {
  if (kind === 'repair') return unsure.includes(party)
  if (kind === 'revoke' || kind === 'remove conditions') return whom === party
  if (kind === 'transfer') return whom !== party && party !== 'holder'
  return kind === 'retire' && by !== party
}

/**
 * Parties that certainly have no right: whatever granted it was over before an operation started that removes it, and that was
 * reported in force.
 */
export function findBarred(rules: Rules, world: World, start: Start): Party[] {
  const { operations } = rules
  const owners = mayOwn(start, operations)
  return partyNames.filter((party) => {
    const isTaken = (giving?: number) =>
      operations.some(
        (operation, i) =>
          owners.has(operation.by) &&
          operation.kind !== 'repair' &&
          isTaking(start, operation, party) &&
          isInForce(rules, world, i) &&
          (giving === undefined || (world.begunAfter[i]?.includes(giving) ?? false)),
      )
    const isReader = start.readers.includes(party) || start.unsure?.includes(party) === true
    if (isReader && !isTaken()) return false
    return !operations.some((operation, i) => owners.has(operation.by) && isGranting(operation, party) && !isTaken(i))
  })
}

/** Parties that certainly have a right: it is not being removed, and it existed before or was reported in force. */
export function findEntitled(rules: Rules, world: World, start: Start): Party[] {
  const { operations } = rules
  const owners = mayOwn(start, operations)
  return partyNames.filter((party) => {
    if (operations.some((operation) => owners.has(operation.by) && isTaking(start, operation, party))) return false
    if (start.readers.includes(party)) return true
    return operations.some(
      (operation, i) => owners.has(operation.by) && isGranting(operation, party) && isInForce(rules, world, i),
    )
  })
}

/** The certain owner of the file, by what was reported in force; undefined if that does not decide it. */
export function findSureOwner(rules: Rules, world: World, start: Start): Party | undefined {
  const { operations } = rules
  const inForce = operations.filter((_operation, i) => isInForce(rules, world, i))
  const targets = new Set(
    inForce.flatMap(({ kind, whom }) => (kind === 'transfer' && whom !== undefined ? [whom] : [])),
  )
  const [target] = targets
  if (target !== undefined && targets.size === 1)
    return operations.some(({ kind, by }) => kind === 'transfer' && by === target) ? undefined : target
  if (operations.some(({ kind }) => kind === 'transfer')) return undefined
  if (start.owner !== undefined) return start.owner
  const savers = new Set(inForce.flatMap(({ kind, by }) => (kind === 'save' ? [by] : [])))
  const [saver] = savers
  return savers.size === 1 ? saver : undefined
}

import { nodeNumbers, type Party, parties, partyNames } from './parties.ts'
import { countShards, findBarred, findEntitled, findSureOwner, isInForce, type Start, threshold } from './rights.ts'
import { type Rules, stateAt, type World } from './world.ts'

/** The owner that each honest node states. */
async function ownersAt(rules: Rules, world: Pick<World, 'nodes'>): Promise<(string | undefined)[]> {
  const owners: (string | undefined)[] = []
  for (const node of nodeNumbers) {
    if (node === rules.liar?.node) continue
    const stated = await rules.nodes.stateOf(stateAt(world, node))
    owners.push(stated === 'nothing' ? undefined : stated.owner)
  }
  return owners
}

/** The party that three honest nodes state as the owner. */
export async function findOwner(rules: Rules, world: Pick<World, 'nodes'>): Promise<Party | undefined> {
  const owners = await ownersAt(rules, world)
  return partyNames.find((party) => owners.filter((one) => one === parties[party]).length >= threshold)
}

/** Invariants of every moment. @returns the violated ones */
export async function findBreach(rules: Rules, world: World, start: Start): Promise<string | undefined> {
  // A liar gives its shards to every caller.
  const fromLiar = rules.liar === undefined ? 0 : 1
  for (const party of findBarred(rules, world, start)) {
    const shards = await countShards(rules, world, party)
    if (shards > 0 && shards + fromLiar >= threshold)
      return `${party} has no right and gets ${shards + fromLiar} shards of one set`
  }
  for (const party of findEntitled(rules, world, start)) {
    const shards = await countShards(rules, world, party)
    if (shards < threshold) return `${party} has a right for certain and gets ${shards} shards of one set`
  }
  const owner = findSureOwner(rules, world, start)
  if (owner !== undefined) {
    const naming = (await ownersAt(rules, world)).filter((one) => one === parties[owner]).length
    if (naming < threshold) return `${owner} owns the file for certain, and ${naming} honest nodes say so`
  }
  const heirs = rules.operations.filter(
    ({ kind, by }, i) => kind === 'transfer' && by === start.owner && isInForce(rules, world, i),
  )
  if (new Set(heirs.map(({ whom }) => whom)).size > 1) return 'the file was given to two new owners, both in force'
  return undefined
}

import { findBreach, findOwner } from './breaches.ts'
import { doAtOnce } from './do-request.ts'
import { type Intent, repair } from './operations.ts'
import { outlineAll } from './outline.ts'
import { nodeNumbers } from './parties.ts'
import { findBarred, findEntitled, findSureOwner, type Start } from './rights.ts'
import type { Outcome } from './running-operation.ts'
import { type Rules, replaceAt, stateAt, type World } from './world.ts'

/** By then, an interrupted change is no longer in transit. */
const aMinuteMs = 60_000

/** Runs an operation to completion, with no other operation and all nodes up. */
export async function finish(
  rules: Rules,
  before: readonly number[],
  operation: Intent,
  { misses = [], laterMs = 0 }: { misses?: readonly number[]; laterMs?: number } = {},
): Promise<{ nodes: readonly number[]; outcome: Outcome }> {
  let nodes = before
  let standing = await rules.clients.start(operation)
  while (standing.outcome === undefined) {
    const [first] = standing.waiting
    if (first === undefined) throw new Error(`${operation.name} waits for nothing and does not end`)
    const { index, node, request } = first
    if (misses.includes(node)) {
      standing = await rules.clients.answer(standing, index, 'nothing')
      continue
    }
    const reply = await doAtOnce(rules, { nodes, down: misses }, node, request, laterMs)
    nodes = replaceAt(nodes, node - 1, reply.state)
    standing = await rules.clients.answer(standing, index, reply.answer ?? 'nothing')
  }
  return { nodes, outcome: standing.outcome }
}

/** Whether all honest nodes have the same rights. A node without a retired key grants as little as one that has it. */
async function areAlike(rules: Rules, nodes: readonly number[]): Promise<boolean> {
  const rights = new Set<string>()
  for (const node of nodeNumbers) {
    if (node === rules.liar?.node) continue
    const stated = await rules.nodes.stateOf(stateAt({ nodes }, node))
    // Shards of a key that is about to be destroyed are not saved.
    if (stated === 'nothing') rights.add('nothing')
    else rights.add(stated.state === 'retired' ? `retired ${stated.owner}` : stated.digest)
  }
  if ([...rights].some((name) => name.startsWith('retired'))) rights.delete('nothing')
  return rights.size === 1
}

/**
 * What must be true when everything has ended and every node is back, and after the owner has repaired the file a minute
 * later.
 * @param known endings that passed before: nodes are interchangeable, so it does not matter which of them has what
 * @returns what is not true
 */
export async function findBadEnd(
  rules: Rules,
  world: World,
  start: Start,
  known: Set<string>,
): Promise<string | undefined> {
  const { liar } = rules
  const honest = world.nodes.filter((_state, i) => i + 1 !== liar?.node)
  const findings = [
    findBarred(rules, world, start),
    findEntitled(rules, world, start),
    findSureOwner(rules, world, start),
  ]
  const lying = liar === undefined ? '' : outlineAll(rules.nodes, [stateAt(world, liar.node)])
  const name = JSON.stringify([outlineAll(rules.nodes, honest), lying, findings])
  if (known.has(name)) return undefined
  let { nodes } = world
  let owner = await findOwner(rules, { nodes })
  for (const operation of rules.operations) {
    // A client that learned that a call is not in force repeats it.
    if (owner !== undefined) break
    nodes = (await finish(rules, nodes, operation)).nodes
    owner = await findOwner(rules, { nodes })
  }
  // With one liar, two owners may have two honest nodes each: at most one can ever have three, and nothing more is guaranteed.
  if (owner === undefined)
    return liar === undefined ? 'no three nodes name one owner, and the same calls again do not change that' : undefined
  let repaired = await finish(rules, nodes, repair({ by: owner, device: 'later' }), { laterMs: aMinuteMs })
  // What nodes learn of each other in the first repair is too recent to be withdrawn: a repair waits, or is repeated.
  if (!(await areAlike(rules, repaired.nodes)))
    repaired = await finish(rules, repaired.nodes, repair({ by: owner, device: 'again' }), { laterMs: aMinuteMs })
  const { outcome } = repaired
  if (outcome.kind === 'failed')
    return `the repair by ${owner} fails: ${outcome.code} ${JSON.stringify(outcome.details)}`
  if (!(await areAlike(rules, repaired.nodes))) return `the repair by ${owner} leaves honest nodes that differ`
  const breach = await findBreach(rules, { ...world, nodes: repaired.nodes }, start)
  if (breach !== undefined) return `after the repair by ${owner}: ${breach}`
  known.add(name)
  return undefined
}

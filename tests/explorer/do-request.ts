import type { Heard } from './heard.ts'
import type { Reply } from './node-machine.ts'
import { nodeNumbers } from './parties.ts'
import type { Request } from './requests.ts'
import { type Rules, stateAt, type World } from './world.ts'

type Place = Pick<World, 'nodes' | 'down'>

/** What each other node states when queried. */
export async function hear({ nodes, liar }: Rules, world: Place, asker: number): Promise<Heard[]> {
  const own = await nodes.stateOf(stateAt(world, asker))
  const heard: Heard[] = []
  for (const node of nodeNumbers) {
    if (node === asker) continue
    const honest = await nodes.stateOf(stateAt(world, node))
    if (world.down.includes(node)) heard.push(null)
    else heard.push(liar?.node === node && liar.kind.state !== undefined ? liar.kind.state(honest, own) : honest)
  }
  return heard
}

/** Makes a node process a request immediately, including its queries to peers. */
export async function doAtOnce(
  rules: Rules,
  world: Place,
  node: number,
  request: Request,
  laterMs = 0,
): Promise<Reply> {
  const state = stateAt(world, node)
  const { nodes, liar } = rules
  const asks = await nodes.asks(state, request)
  const run = { laterMs, ...(asks ? { heard: await hear(rules, world, node) } : {}) }
  const reply = await nodes.run(state, request, run)
  if (liar?.node !== node) return reply
  const { answer } = reply
  return {
    ...reply,
    state: liar.kind.obeys ? reply.state : state,
    answer: answer === undefined ? undefined : (liar.kind.answer?.(request, answer) ?? answer),
  }
}

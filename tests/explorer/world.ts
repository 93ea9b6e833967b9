import type { ClientMachine, Standing } from './client-machine.ts'
import { type Heard, nameHeard } from './heard.ts'
import type { Liar } from './liars.ts'
import type { NodeMachine } from './node-machine.ts'
import type { Intent } from './operations.ts'
import type { Request } from './requests.ts'

/** A request for which a node has queried its peers, and which it continues with. */
export type Running = {
  node: number
  request: Request
  heard: readonly Heard[]
  /** The call that waits for its response; absent when no client is active any more. */
  waits?: { client: number; index: number }
}

/** Everything at one moment, as plain data: the next moment is another object. */
export type World = {
  /** The state of each node; of a liar, the state it would have if it were honest. */
  nodes: readonly number[]
  /** Which nodes are down. */
  down: readonly number[]
  clients: readonly Standing[]
  running: readonly Running[]
  /** Requests in transit whose senders no longer wait. */
  late: readonly { node: number; client: number; request: Request }[]
  /** Nodes that have a save to settle. */
  settling: readonly number[]
  used: { crashes: number; faults: number; sweeps: number }
  /** For each operation, after its first call was received: which others had ended by then, with all of their requests. */
  begunAfter: readonly (readonly number[] | undefined)[]
}

export type Bounds = {
  /** How often nodes stop, and come back with everything that they had committed. */
  crashes: number
  /** How many requests and responses are lost, late or duplicated. */
  faults: number
  /** How often the nodes sweep, a day and a half later. */
  sweeps?: number
  /**
   * Whether anything may happen between two reads of one look at all nodes, and between two nodes that settle a save; otherwise
   * each of these is one step.
   */
  isFine?: boolean
}

/** What does not change while a scenario is explored. */
export type Rules = {
  nodes: NodeMachine
  clients: ClientMachine
  operations: readonly Intent[]
  bounds: Bounds
  liar?: { node: number; name: string; kind: Liar } | undefined
}

/** Equal worlds have one name. */
export function nameWorld({ nodes, down, clients, running, late, settling, used, begunAfter }: World): string {
  const parts = [
    nodes.join(),
    down.join(),
    clients.map(({ id }) => id).join(),
    running.map(
      ({ node, request, heard, waits }) =>
        `${node} ${request.id} ${nameHeard(heard)} ${waits === undefined ? '' : `${waits.client} ${waits.index}`}`,
    ),
    late.map(({ node, client, request }) => `${node} ${client} ${request.id}`).sort(),
    settling.join(),
    `${used.crashes} ${used.faults} ${used.sweeps}`,
    begunAfter.map((ended) => ended?.join() ?? '-'),
  ]
  return parts.join('/')
}

/** The world in which operations begin. */
export async function openWorld(rules: Rules, nodes: readonly number[]): Promise<World> {
  return {
    nodes,
    down: [],
    clients: await Promise.all(rules.operations.map((operation) => rules.clients.start(operation))),
    running: [],
    late: [],
    settling: [],
    used: { crashes: 0, faults: 0, sweeps: 0 },
    begunAfter: rules.operations.map(() => undefined),
  }
}

/** Whether all operations have ended and no node continues any of their work. */
export function isOver({ clients, running }: World): boolean {
  return running.length === 0 && clients.every(({ outcome }) => outcome !== undefined)
}

export function stateAt({ nodes }: Pick<World, 'nodes'>, node: number): number {
  const state = nodes[node - 1]
  if (state === undefined) throw new RangeError(`there is no node ${node}`)
  return state
}

export const without = <T>(list: readonly T[], one: T): T[] => list.filter((other) => other !== one)
export const withNumber = (list: readonly number[], one: number): number[] =>
  list.includes(one) ? [...list] : [...list, one].sort((a, b) => a - b)
export const replaceAt = <T>(list: readonly T[], i: number, one: T): T[] =>
  list.map((other, at) => (at === i ? one : other))

import type { NodeMachine } from './node-machine.ts'

const outlines = new WeakMap<NodeMachine, Map<number, { version: number; text: string }>>()

/** The parts of a node's state that can affect a repair: everything but the time and path by which it came about. */
function outlineOf(nodes: NodeMachine, state: number): { version: number; text: string } {
  const known = outlines.get(nodes) ?? new Map<number, { version: number; text: string }>()
  outlines.set(nodes, known)
  const found = known.get(state)
  if (found !== undefined) return found
  const { key: keys = [], shared = [], other_set: others = [], change: changes = [] } = nodes.rows(state)
  const [row] = keys
  const rights = ['owner', 'state', 'set_id', 'conditions', 'successor', 'sealed'].map((name) => row?.[name])
  const made = {
    version: Number(row?.['version'] ?? 0),
    text: JSON.stringify([
      rights,
      shared.map(({ address }) => address),
      others.map(({ set_id: set, kind }) => [set, kind]),
      changes.flatMap(({ kind, arguments: given }) =>
        ['transfer', 'repair', 'revoke'].includes(String(kind)) ? [given] : [],
      ),
      changes.at(-1)?.['by_address'],
    ]),
  }
  known.set(state, made)
  return made
}

/** Names the joint state of several nodes: equal when a repair finds the same, regardless of which node holds what. */
export function outlineAll(nodes: NodeMachine, states: readonly number[]): string {
  const all = states.map((state) => outlineOf(nodes, state))
  const minVersion = Math.min(...all.map(({ version }) => version))
  return all
    .map(({ version, text }) => `${version - minVersion} ${text}`)
    .sort()
    .join('\n')
}

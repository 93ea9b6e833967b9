import type { Statement } from '../../services/keynode/src/shards/peers/peer-statement.ts'

/** What a peer states, as received by the querying node; null for a peer that does not answer. */
export type Heard = Statement | 'nothing' | null

const names = new Map<string, number>()
const knownNames = new WeakMap<Statement, number>()

function nameOne(one: Heard): number {
  if (one === null) return -1
  if (one === 'nothing') return -2
  const known = knownNames.get(one)
  if (known !== undefined) return known
  const text = JSON.stringify(one)
  const name = names.get(text) ?? names.size
  names.set(text, name)
  knownNames.set(one, name)
  return name
}

/** A text for what peers state. Which of them states what makes no difference to a node. */
export function nameHeard(heard: readonly Heard[]): string {
  return heard
    .map(nameOne)
    .sort((a, b) => a - b)
    .join()
}

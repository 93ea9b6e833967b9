import * as v from 'valibot'
import { openKeptList } from '../ui/kept-list.ts'

const keptChange = v.object({
  id: v.string(),
  account: v.string(),
  cid: v.string(),
  /** Title of the change. */
  name: v.string(),
  startedAt: v.number(),
})
/** A change on the five key nodes that has started and may be incomplete, because a reload can interrupt it. */
export type KeptChange = v.InferOutput<typeof keptChange>

/** Maximum number of changes: sharing many files leaves one each if a node is offline, and each write stores all of them. */
const maxChanges = 1_000
const changes = openKeptList('cairn.changes', keptChange, maxChanges)

export function recallChanges(account: string): KeptChange[] {
  return changes.read().filter((one) => one.account === account)
}

export function keepChange(change: KeptChange): void {
  changes.write([...changes.read().filter(({ id }) => id !== change.id), change])
}

export function clearChange(id: string): void {
  changes.write(changes.read().filter((one) => one.id !== id))
}

/** Clears the changes of an account. */
export function clearChanges(account: string): void {
  changes.write(changes.read().filter((one) => one.account !== account))
}

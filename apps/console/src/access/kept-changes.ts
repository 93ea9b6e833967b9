import * as v from 'valibot'
import { openKeptList } from '../ui/kept-list.ts'

const keptChange = v.object({
  id: v.string(),
  account: v.string(),
  cid: v.string(),
  /** What was shown of it. */
  name: v.string(),
  startedAt: v.number(),
})
/** A change on the five key nodes that was begun and is not known to be over: a reload may have cut it in half. */
export type KeptChange = v.InferOutput<typeof keptChange>

const changesMost = 100
const changes = openKeptList('cairn.changes', keptChange, changesMost)

export function recallChanges(account: string): KeptChange[] {
  return changes.read().filter((one) => one.account === account)
}

export function keepChange(change: KeptChange): void {
  changes.write([...changes.read().filter(({ id }) => id !== change.id), change])
}

export function forgetChange(id: string): void {
  changes.write(changes.read().filter((one) => one.id !== id))
}

/** Forgets what an account left. */
export function forgetChanges(account: string): void {
  changes.write(changes.read().filter((one) => one.account !== account))
}

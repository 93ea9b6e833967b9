import * as v from 'valibot'
import { keepText, listTexts, recallText } from '../wallet/kept-text.ts'

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

/**
 * Each change has an entry of its own: sharing a folder leaves one for each file if a node is offline, and other tabs store theirs
 * at the same time.
 */
const prefix = 'cairn.change.'
/** Where earlier versions of the console stored all of them. */
const formerList = 'cairn.changes'

/** Returns the changes of an account, oldest first. */
export function recallChanges(account: string): KeptChange[] {
  moveFormerList()
  const moved = listTexts(prefix).flatMap((name) => parse(keptChange, recallText(name)) ?? [])
  const all = new Map([...recallFormer(), ...moved].map((one) => [one.id, one]))
  return [...all.values()].filter((one) => one.account === account).sort((a, b) => a.startedAt - b.startedAt)
}

export function keepChange(change: KeptChange): void {
  keepText(prefix + change.id, JSON.stringify(change))
}

export function clearChange(id: string): void {
  keepText(prefix + id)
  const former = recallFormer()
  if (former.some((change) => change.id === id)) keepFormer(former.filter((change) => change.id !== id))
}

/** Clears the changes of an account. */
export function clearChanges(account: string): void {
  for (const { id } of recallChanges(account)) clearChange(id)
}

/** What does not fit into a full storage stays in the list. */
function moveFormerList(): void {
  const former = recallFormer()
  if (former.length === 0) return
  for (const change of former) keepChange(change)
  keepFormer(former.filter(({ id }) => recallText(prefix + id) === undefined))
}

function recallFormer(): KeptChange[] {
  return parse(v.array(keptChange), recallText(formerList)) ?? []
}

function keepFormer(changes: readonly KeptChange[]): void {
  keepText(formerList, changes.length === 0 ? undefined : JSON.stringify(changes))
}

/** Ignores foreign data under our name. */
function parse<T>(schema: v.GenericSchema<unknown, T>, text: string | undefined): T | undefined {
  try {
    const parsed = v.safeParse(schema, JSON.parse(text ?? 'null'))
    return parsed.success ? parsed.output : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

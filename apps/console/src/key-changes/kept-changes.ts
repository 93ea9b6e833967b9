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
  const own = listTexts(prefix).flatMap((name) => parse(keptChange, recallText(name)) ?? [])
  return own.filter((one) => one.account === account).sort((a, b) => a.startedAt - b.startedAt)
}

export function keepChange(change: KeptChange): void {
  keepText(prefix + change.id, JSON.stringify(change))
}

export function clearChange(id: string): void {
  keepText(prefix + id)
}

/** Clears the changes of an account. */
export function clearChanges(account: string): void {
  for (const { id } of recallChanges(account)) clearChange(id)
}

function moveFormerList(): void {
  const former = parse(v.array(keptChange), recallText(formerList))
  if (former === undefined) return
  for (const change of former) keepChange(change)
  keepText(formerList)
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

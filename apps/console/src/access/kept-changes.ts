import * as v from 'valibot'

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

const storageName = 'cairn.changes'
const changesMost = 100

function readAll(): KeptChange[] {
  try {
    const parsed = v.safeParse(v.array(keptChange), JSON.parse(localStorage.getItem(storageName) ?? '[]'))
    return parsed.success ? parsed.output : []
  } catch (error) {
    // A browser that keeps nothing, or something else under our name.
    if (error instanceof SyntaxError || error instanceof DOMException) return []
    throw error
  }
}

function writeAll(changes: readonly KeptChange[]): void {
  try {
    if (changes.length === 0) localStorage.removeItem(storageName)
    else localStorage.setItem(storageName, JSON.stringify(changes.slice(-changesMost)))
  } catch (error) {
    // A browser that keeps nothing: the page of the file still shows what the nodes hold.
    if (!(error instanceof DOMException)) throw error
  }
}

export function recallChanges(account: string): KeptChange[] {
  return readAll().filter((one) => one.account === account)
}

export function keepChange(change: KeptChange): void {
  writeAll([...readAll().filter(({ id }) => id !== change.id), change])
}

export function forgetChange(id: string): void {
  writeAll(readAll().filter((one) => one.id !== id))
}

/** Forgets what an account left. */
export function forgetChanges(account: string): void {
  writeAll(readAll().filter((one) => one.account !== account))
}

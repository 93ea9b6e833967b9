import type { CairnError } from '@cairn/sdk'

const worded = new WeakSet<CairnError>()

/** Marks an error whose own texts are in the language of the page: nothing else is said before them. */
export function asWorded<Worded extends CairnError>(error: Worded): Worded {
  worded.add(error)
  return error
}

export function isWorded(error: CairnError): boolean {
  return worded.has(error)
}

import { CairnError } from '@cairn/sdk'

/** Whether a call failed because too few key nodes took part, so that one more in the session may help. */
export function isOfKeyNodes(error: unknown): boolean {
  return (
    CairnError.is(error, 'NOT_ENOUGH_SHARDS') ||
    CairnError.is(error, 'CHANGE_INCOMPLETE') ||
    CairnError.is(error, 'KEY_NODES_UNAVAILABLE') ||
    CairnError.is(error, 'NO_SESSION')
  )
}

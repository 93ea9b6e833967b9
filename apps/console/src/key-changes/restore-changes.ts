import { CairnError, type Client, getKeyStatus, type NetworkProfile, repairKey } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { ensureKeySession } from '../session/ensure-key-session.ts'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { isInPanel, type KeyChange, toChangeRequest } from './change-request.ts'
import { clearChange, type KeptChange, keepChange, recallChanges } from './kept-changes.ts'

/** A change takes some seconds; a recent one may still run in another tab. */
const settledMs = 60_000

/** Offers to repair the changes that an earlier page of this account did not complete, if the nodes disagree. */
export async function restoreChanges(network: NetworkProfile): Promise<void> {
  const session = getSession()
  if (session === undefined) return
  const wasReloaded = performance
    .getEntriesByType('navigation')
    .some((entry) => 'type' in entry && entry.type === 'reload')
  for (const change of recallChanges(session.address)) {
    if (isInPanel(change.id) || (!wasReloaded && change.startedAt > Date.now() - settledMs)) continue
    if (await isWhole(clientOf(network, getSession()), change)) clearChange(change.id)
    else if (getSession()?.address === session.address) offer(network, change)
  }
}

/** Offers to save the key of an upload at the key nodes that do not have it yet, here and on the next page. */
export function offerKeyRepair(network: NetworkProfile, cid: string, title: string): void {
  const account = getSession()?.address
  if (account === undefined) return
  const change: KeptChange = { id: crypto.randomUUID(), account, cid, name: title, startedAt: Date.now() }
  keepChange(change)
  offer(network, change)
}

function offer(network: NetworkProfile, { id, cid, name }: KeptChange): void {
  const run: KeyChange['run'] = (client, { signal }) => repairKey(client, cid, signal === undefined ? {} : { signal })
  startTransfer({
    ...toChangeRequest(
      network,
      cid,
      { name, doneName: messages.access.doneRestored, failedName: messages.access.failedRestored, run },
      id,
    ),
    paused: {
      bytes: 0,
      need: 'repair',
      go: ensureKeySession,
    },
  })
  showTransfers(true)
}

/** Returns whether all five nodes agree; unknown state does not count as agreement. */
async function isWhole(client: Client, { cid }: KeptChange): Promise<boolean> {
  if (client.keySession === undefined) return false
  try {
    return (await getKeyStatus(client, cid)).health === 'whole'
  } catch (error) {
    if (!CairnError.is(error)) throw error
    // There is nothing to repair for a file with another owner.
    return error.code === 'ACCESS_DENIED' || error.code === 'KEY_NOT_FOUND'
  }
}

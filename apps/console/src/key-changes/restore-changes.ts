import { CairnError, type Client, getKeyStatus, type NetworkProfile, repairKey } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { ensureKeySession } from '../session/ensure-key-session.ts'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { toastNotice } from '../ui/toasts/toast-store.ts'
import { isInPanel, type KeyChange, toChangeRequest } from './change-request.ts'
import { clearChange, type KeptChange, keepChange, recallChanges } from './kept-changes.ts'

/** A change takes some seconds; a recent one may still run in another tab. */
const settledMs = 60_000

/** Maximum number of changes checked and offered together: the key nodes are asked about each of them. */
const batchSize = 100

/** Changes of an earlier page that are offered, until they are done or removed. */
const offered = new Set<string>()
/** Changes to offer after those. */
let older: readonly KeptChange[] = []

/** Offers to repair the changes that an earlier page of this account did not complete, if the nodes disagree: the newest first. */
export async function restoreChanges(network: NetworkProfile): Promise<void> {
  older = []
  const session = getSession()
  if (session === undefined) return
  const wasReloaded = performance
    .getEntriesByType('navigation')
    .some((entry) => 'type' in entry && entry.type === 'reload')
  older = recallChanges(session.address).filter(
    ({ id, startedAt }) => !isInPanel(id) && (wasReloaded || startedAt <= Date.now() - settledMs),
  )
  await offerBatch(network, session.address)
}

async function offerBatch(network: NetworkProfile, account: string): Promise<void> {
  const batch = older.slice(-batchSize)
  older = older.slice(0, -batchSize)
  for (const change of batch) {
    if (await isWhole(clientOf(network, getSession()), change)) clearChange(change.id)
    else if (getSession()?.address === account) {
      offered.add(change.id)
      offer(network, change)
    }
  }
  if (older.length === 0 || getSession()?.address !== account) return
  if (offered.size > 0) toastNotice(messages.access.moreUnfinished, messages.access.moreUnfinishedHint(older.length))
  // Not awaited, because the page restores other work after it.
  else void offerBatch(network, account)
}

/** Removes a change from those offered. After the last one, offers the next batch. */
function settle(network: NetworkProfile, { id, account }: KeptChange): void {
  if (offered.delete(id) && offered.size === 0 && older.length > 0) void offerBatch(network, account)
}

/** Offers to save the key of an upload at the key nodes that do not store it yet, on this page and after a reload. */
export function offerKeyRepair(network: NetworkProfile, cid: string, title: string): void {
  const account = getSession()?.address
  if (account === undefined) return
  const change: KeptChange = { id: crypto.randomUUID(), account, cid, name: title, startedAt: Date.now() }
  keepChange(change)
  offer(network, change)
}

function offer(network: NetworkProfile, change: KeptChange): void {
  const { id, cid, name } = change
  const run: KeyChange['run'] = (client, { signal }) => repairKey(client, cid, signal === undefined ? {} : { signal })
  const request = toChangeRequest(
    network,
    cid,
    { name, doneName: messages.access.doneRestored, failedName: messages.access.failedRestored, run },
    id,
  )
  startTransfer({
    ...request,
    paused: {
      bytes: 0,
      need: 'repair',
      go: ensureKeySession,
    },
    onDone: () => settle(network, change),
    onDrop: async () => {
      await request.onDrop?.()
      settle(network, change)
    },
    onClose: () => {
      request.onClose?.()
      offered.delete(id)
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
    // A file of another owner needs no repair by this account.
    return error.code === 'ACCESS_DENIED' || error.code === 'KEY_NOT_FOUND'
  }
}

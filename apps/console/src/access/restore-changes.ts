import { CairnError, type Client, getKeyStatus, type NetworkProfile, repairKey } from '@cairn/sdk'
import { needKeySession } from '../session/key-session-request.ts'
import { changeSession, getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { showTransfers } from '../transfers/panel-store.ts'
import { startTransfer } from '../transfers/transfer-store.ts'
import { type KeyChange, toChangeWish } from './change-wish.ts'
import { forgetChange, type KeptChange, recallChanges } from './kept-changes.ts'

/** A change takes some seconds; what was begun a moment ago may still run in another tab. */
const settledMs = 60_000

/** What is in the transfers already. */
const offered = new Set<string>()

/** Offers to mend the changes that an earlier page of this account did not finish, as far as the nodes do not agree. */
export async function restoreChanges(network: NetworkProfile): Promise<void> {
  const session = getSession()
  if (session === undefined) return
  const wasReloaded = performance
    .getEntriesByType('navigation')
    .some((entry) => 'type' in entry && entry.type === 'reload')
  for (const change of recallChanges(session.address)) {
    if (!wasReloaded && change.startedAt > Date.now() - settledMs) continue
    if (await isWhole(clientOf(network, getSession()), change)) forgetChange(change.id)
    else if (getSession()?.address === session.address) offer(network, change)
  }
}

function offer(network: NetworkProfile, { id, cid, name }: KeptChange): void {
  if (offered.has(id)) return
  offered.add(id)
  const run: KeyChange['run'] = (client, { signal }) => repairKey(client, cid, signal === undefined ? {} : { signal })
  startTransfer({
    ...toChangeWish(network, cid, { name, run }, id),
    onLeave: () => offered.delete(id),
    paused: {
      bytes: 0,
      need: 'repair',
      go: async () => {
        const keySession = await needKeySession()
        if (getSession()?.keySession !== keySession) changeSession({ keySession })
      },
    },
  })
  showTransfers(true)
}

/** Whether all five nodes agree; undefined knowledge is no agreement. */
async function isWhole(client: Client, { cid }: KeptChange): Promise<boolean> {
  if (client.keySession === undefined) return false
  try {
    return (await getKeyStatus(client, cid)).health === 'whole'
  } catch (error) {
    if (!CairnError.is(error)) throw error
    // Where the file is not ours any more, there is nothing to mend.
    return error.code === 'ACCESS_DENIED' || error.code === 'KEY_NOT_FOUND'
  }
}

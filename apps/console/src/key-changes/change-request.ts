import {
  CairnError,
  type ChangeOptions,
  type ChangeResult,
  type Client,
  type NetworkProfile,
  type RepairReport,
} from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { queryClient } from '../network/query-client.ts'
import { getSession, isInterrupted } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import type { NodeState, TransferRequest } from '../transfers/transfer-store.ts'
import { clearChange, keepChange } from './kept-changes.ts'

/** A change on the five key nodes, reported node by node. Idempotent. */
export type KeyChange = {
  /** Its title while it runs. */
  name: string
  /** Title once it is done. */
  doneName: string
  /** Title once it failed: it may have reached some of the nodes. */
  failedName: string
  run: (client: Client, options: ChangeOptions) => Promise<ChangeResult | RepairReport>
}

/** Changes in the transfers panel of this page. */
const inPanel = new Set<string>()

/** Returns whether the transfers panel of this page has a change. */
export function isInPanel(id: string): boolean {
  return inPanel.has(id)
}

/**
 * Creates the transfer request of a change. The change is stored until it is complete, so that the next page offers to
 * repair it.
 */
export function toChangeRequest(
  network: NetworkProfile,
  cid: string,
  { name, doneName, failedName, run }: KeyChange,
  id: string = crypto.randomUUID(),
): TransferRequest {
  inPanel.add(id)
  return {
    name,
    doneName,
    failedName,
    kind: 'change',
    isEncrypted: true,
    run: async ({ report, signal }) => {
      inPanel.add(id)
      const account = getSession()?.address
      if (account !== undefined) keepChange({ id, account, cid, name, startedAt: Date.now() })
      const nodes: NodeState[] = Array.from({ length: 5 }, () => 'waiting')
      report({ nodes: [...nodes] })
      let result: ChangeResult | RepairReport
      try {
        result = await run(clientOf(network, getSession()), {
          signal,
          onNode: (node, state) => {
            nodes[node - 1] = state === 'started' ? 'running' : state
            report({ nodes: [...nodes] })
          },
        })
      } finally {
        // One that the end of the session interrupted continues after the next sign-in.
        if (!isInterrupted()) inPanel.delete(id)
        // The nodes may report another state now, whatever the outcome.
        await Promise.all(
          [['key-report', cid], ['conditions', cid], ['key-files'], ['key-activity']].map((queryKey) =>
            queryClient.invalidateQueries({ queryKey }),
          ),
        )
      }
      if ('pending' in result) {
        // A later call of the same change may have reached a node that missed an earlier one.
        for (const { node } of result.pending) nodes[node - 1] = 'failed'
      } else {
        for (const { node, isAgreed } of result.after.nodes) nodes[node - 1] = isAgreed ? 'done' : 'failed'
      }
      report({ nodes: [...nodes] })
      // The next page offers to repair nodes that missed it, including after a reload that interrupted the call.
      if (reachedAll(result)) clearChange(id)
      // A repair is for nothing else.
      else if ('after' in result) throw stillApart(result.after)
      return { cid }
    },
    onClose: () => inPanel.delete(id),
    onDrop: async () => clearChange(id),
  }
}

function stillApart({ health }: RepairReport['after']): CairnError {
  const { health: states, repairLeft } = messages.access
  return asWorded(new CairnError('CHANGE_INCOMPLETE', { message: states[health], hint: repairLeft }))
}

function reachedAll(result: ChangeResult | RepairReport): boolean {
  return 'pending' in result ? result.pending.length === 0 : result.after.health === 'whole'
}

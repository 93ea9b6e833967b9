import type { ChangeOptions, ChangeResult, Client, NetworkProfile, RepairReport } from '@cairn/sdk'
import { queryClient } from '../network/query-client.ts'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import type { NodeState, TransferWish } from '../transfers/transfer-store.ts'
import { forgetChange, keepChange } from './kept-changes.ts'

/** A change on the five key nodes, told node by node. Made again, it does no harm. */
export type KeyChange = {
  /** What is shown of it while it runs. */
  name: string
  run: (client: Client, options: ChangeOptions) => Promise<ChangeResult | RepairReport>
}

/** What the transfers are asked to do for a change. Until it is over it is kept, so that the next page offers to mend it. */
export function toChangeWish(
  network: NetworkProfile,
  cid: string,
  { name, run }: KeyChange,
  id: string = crypto.randomUUID(),
): TransferWish {
  return {
    name,
    kind: 'change',
    isEncrypted: true,
    run: async ({ report, signal }) => {
      const account = getSession()?.address
      if (account !== undefined) keepChange({ id, account, cid, name, startedAt: Date.now() })
      const nodes: NodeState[] = Array.from({ length: 5 }, () => 'waiting')
      report({ nodes: [...nodes] })
      let result: ChangeResult | RepairReport
      try {
        result = await run(clientOf(network, getSession()), {
          signal,
          onNode: (node, state) => {
            nodes[node - 1] = state === 'asked' ? 'running' : state
            report({ nodes: [...nodes] })
          },
        })
      } finally {
        // Whatever became of it, the nodes may say something else now.
        await Promise.all(
          [['key-report', cid], ['conditions', cid], ['key-files']].map((queryKey) =>
            queryClient.invalidateQueries({ queryKey }),
          ),
        )
      }
      // A node that did not hear of it is offered for repair by the next page: also where a reload is what cut its call off.
      if (reachedAll(result)) forgetChange(id)
      return { cid }
    },
    onDrop: async () => forgetChange(id),
  }
}

function reachedAll(result: ChangeResult | RepairReport): boolean {
  return 'pending' in result ? result.pending.length === 0 : result.after.health === 'whole'
}

import type { ChangeOptions, ChangeResult, Client, RepairReport } from '@cairn/sdk'
import { useCallback, useState } from 'react'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { queryClient } from '../network/query-client.ts'
import { getSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { isActive, type NodeState, startTransfer, type Transfer, useTransfers } from '../transfers/transfer-store.ts'

/** A change on the five key nodes, told node by node. Made again, it does no harm. */
export type KeyChange = {
  /** What is shown of it while it runs. */
  name: string
  run: (client: Client, options: ChangeOptions) => Promise<ChangeResult | RepairReport>
}

/**
 * Makes changes to who can open a file. They go on in the transfers panel whatever page is open; `running` is the one of this
 * file that is under way.
 */
export function useKeyChange(cid: string): {
  running: Transfer | undefined
  start: (change: KeyChange) => Promise<void>
} {
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  const [id, setId] = useState<number>()
  const transfers = useTransfers()
  const running = transfers.find((transfer) => transfer.id === id && isActive(transfer))
  const start = useCallback(
    async ({ name, run }: KeyChange) => {
      await needKeyClient()
      const started = startTransfer({
        name,
        kind: 'change',
        isEncrypted: true,
        run: async ({ report, signal }) => {
          const nodes: NodeState[] = Array.from({ length: 5 }, () => 'waiting')
          report({ nodes: [...nodes] })
          try {
            await run(clientOf(network, getSession()), {
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
          return { cid }
        },
      })
      setId(started)
    },
    [network, needKeyClient, cid],
  )
  return { running, start }
}

import { useCallback, useState } from 'react'
import { useNetwork } from '../network/use-network.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { isActive, startTransfer, type Transfer, useTransfers } from '../transfers/transfer-store.ts'
import { type KeyChange, toChangeRequest } from './change-request.ts'

export type { KeyChange }

/**
 * Changes the access to a file. Changes continue in the transfers panel on any page; `running` is the current one of
 * this file.
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
    async (change: KeyChange) => {
      await needKeyClient()
      setId(startTransfer(toChangeRequest(network, cid, change)))
    },
    [network, needKeyClient, cid],
  )
  return { running, start }
}

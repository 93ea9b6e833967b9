import { useCallback, useState } from 'react'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { useKeyClient } from '../session/use-key-client.ts'
import { isActive, startTransfer, type Transfer, useTransfers } from '../transfers/transfer-store.ts'
import { type KeyChange, toChangeWish } from './change-wish.ts'

export type { KeyChange }

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
    async (change: KeyChange) => {
      await needKeyClient()
      setId(startTransfer(toChangeWish(network, cid, change)))
    },
    [network, needKeyClient, cid],
  )
  return { running, start }
}

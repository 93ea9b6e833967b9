import { useEffect } from 'react'
import { useConfig, useConnection } from 'wagmi'
import { useClient } from '../session/use-client.ts'
import { resumePayment } from './payment-store.ts'

/** Shows and follows the payment of an earlier page, if there is one. */
export function useResumedPayment(address: string | undefined): void {
  const client = useClient()
  const config = useConfig()
  const isConnected = useConnection().status === 'connected'
  useEffect(() => {
    if (address !== undefined) void resumePayment(client, address, isConnected ? config : undefined)
  }, [client, address, config, isConnected])
}

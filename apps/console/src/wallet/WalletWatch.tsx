import { useEffect } from 'react'
import { useConfig } from 'wagmi'
import { watchConnection } from 'wagmi/actions'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { getSession } from '../session/session-store.ts'
import { signOut } from '../session/sign-out.ts'

/** Ends the session when the wallet leaves or shows another account: what one account saw, another never does. */
export function WalletWatch() {
  const config = useConfig()
  const network = useNetwork()
  useEffect(
    () =>
      watchConnection(config, {
        onChange({ status, address }, before) {
          const session = getSession()
          if (session === undefined) return
          const isSame = address?.toLowerCase() === session.address.toLowerCase()
          if (status === 'connected' && !isSame) void signOut(network, 'account-changed')
          else if (status === 'disconnected' && before.status === 'connected') void signOut(network, 'wallet-left')
        },
      }),
    [config, network],
  )
  return undefined
}

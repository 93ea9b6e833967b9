import { isEvmAddress, normalizeAddress } from '@cairn/protocol'
import { useEffect } from 'react'
import { type Config, useConfig } from 'wagmi'
import { switchConnection, watchConnection } from 'wagmi/actions'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { getSession } from '../session/session-store.ts'
import { signOut } from '../session/sign-out.ts'
import { reconnectSolanaWallet } from './connected-wallet.ts'
import type { WalletFamily } from './recent-wallet.ts'
import { watchSolana } from './solana-state.ts'

/**
 * Ends the session when its wallet leaves or shows another account: what one account saw, another never does. A wallet of the
 * other kind, which is there to pay, may come and go.
 */
export function WalletWatch() {
  const config = useConfig()
  const network = useNetwork()
  useEffect(() => {
    /** @param address shown by the wallet now; undefined where it left */
    const compare = (family: WalletFamily, address: string | undefined) => {
      const session = getSession()
      if (session === undefined || isEvmAddress(session.address) !== (family === 'evm')) return
      if (address === undefined) void signOut(network, 'wallet-left')
      else if (normalizeAddress(address) !== normalizeAddress(session.address)) void signOut(network, 'account-changed')
    }
    const stops = [
      watchConnection(config, {
        onChange({ status, address }, before) {
          if (status === 'connected') {
            if (!keepOwnWallet(config)) compare('evm', address)
          } else if (status === 'disconnected' && before.status === 'connected') compare('evm', undefined)
        },
      }),
      watchSolana((now, before) => {
        if (now.status === 'connected') compare('solana', now.account.address)
        else if (now.status === 'disconnected' && before.status === 'connected') compare('solana', undefined)
      }),
    ]
    void reconnectSolanaWallet()
    return () => {
      for (const stop of stops) stop()
    }
  }, [config, network])
  return undefined
}

/** A second EVM wallet that answers late must not end the session of the first: that one stays the wallet of the page. */
function keepOwnWallet(config: Config): boolean {
  const session = getSession()
  const { connections, current } = config.state
  const own = [...connections.values()].find(
    ({ accounts: [first] }) => normalizeAddress(first) === normalizeAddress(session?.address),
  )
  if (session === undefined || own === undefined || own.connector.uid === current) return false
  void switchConnection(config, { connector: own.connector })
  return true
}

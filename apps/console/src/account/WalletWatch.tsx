import { isEvmAddress, normalizeAddress } from '@cairn/protocol'
import { useEffect } from 'react'
import { type Config, useConfig } from 'wagmi'
import { switchConnection, watchConnection } from 'wagmi/actions'
import { useNetwork } from '../network/use-network.ts'
import { reconnectSolanaWallet } from '../session/connected-wallet.ts'
import { getSession } from '../session/session-store.ts'
import type { WalletFamily } from '../wallet/recent-wallet.ts'
import { watchSolana } from '../wallet/solana-state.ts'
import { signOut } from './sign-out.ts'

/**
 * Ends the session when its wallet disconnects or shows another account, so that accounts never see data of each other.
 * A wallet of the other kind, for payments, may connect and disconnect.
 */
export function WalletWatch() {
  const config = useConfig()
  const network = useNetwork()
  useEffect(() => {
    /** @param address current address of the wallet; undefined after a disconnect */
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

/** A second EVM wallet that answers late must not end the session of the first, which stays the wallet of the page. */
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

import type { Config } from 'wagmi'
import { getConnection, signMessage } from 'wagmi/actions'

/** A wallet that is connected: whose it is, and how it signs. */
export type ConnectedWallet = {
  family: 'evm' | 'solana'
  /** As the wallet writes it. */
  address: string
  /**
   * Signs a readable text: EIP-191 of EVM accounts, ed25519 over the very UTF-8 of Solana's.
   * @throws the wallet's own errors, see readWalletFault
   */
  sign(message: string): Promise<string>
}

/** The wallet that is connected now; undefined where none is. */
export function getConnectedWallet(config: Config): ConnectedWallet | undefined {
  const { address, connector } = getConnection(config)
  if (address === undefined || connector === undefined) return undefined
  return {
    family: 'evm',
    address,
    sign: (message) => signMessage(config, { message, account: address, connector }),
  }
}

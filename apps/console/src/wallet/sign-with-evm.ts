import type { Config, Connector } from 'wagmi'
import { signMessage } from 'wagmi/actions'

/**
 * Signs a readable message as EIP-191 defines it. Separate from the connection, because most pages need no signature, and
 * encoding the message requires the code of its hash.
 * @returns hex
 * @throws the errors of the wallet, see readWalletFailure
 */
export function signWithEvm(
  config: Config,
  { account, connector }: { account: `0x${string}`; connector: Connector },
  message: string,
): Promise<string> {
  return signMessage(config, { message, account, connector })
}

import type { Client } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import { openWallet } from '../keys/open-wallet.ts'

/**
 * Returns the private key that seals: that of the user's wallet, or of the test wallet of a local network.
 * @throws CairnError NO_WALLET
 */
export async function openSealingKey(context: CommandContext, { network }: Client): Promise<string> {
  if ((await context.state.readWallet()) !== undefined || network.wallet === undefined) {
    return (await openWallet(context)).privateKey
  }
  return network.wallet.privateKey
}

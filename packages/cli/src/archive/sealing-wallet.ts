import type { Client } from '@cairn/sdk'
import type { Surroundings } from '../command.ts'
import { openWallet } from '../commands/wallet.ts'

/** The private key that seals: the user's wallet, or the test wallet of a local network. @throws CairnError NO_WALLET */
export async function openSealingKey(surroundings: Surroundings, { network }: Client): Promise<string> {
  if ((await surroundings.state.readWallet()) !== undefined || network.wallet === undefined) {
    return (await openWallet(surroundings)).privateKey
  }
  return network.wallet.privateKey
}

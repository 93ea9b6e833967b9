import { CairnError, decryptKeystore, type Wallet } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'

/** Opens the wallet with its password. @throws CairnError NO_WALLET, INVALID_KEYSTORE */
export async function openWallet({ state, prompt }: Pick<CommandContext, 'state' | 'prompt'>): Promise<Wallet> {
  const keystore = await state.readWallet()
  if (keystore === undefined) throw new CairnError('NO_WALLET')
  return decryptKeystore(keystore, await prompt.password('Password of your wallet'))
}

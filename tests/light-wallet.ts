import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encryptKeystore } from '@cairn/sdk'

/**
 * Stores the wallet of the command line with a password that is cheap to check. At the cost of `cairn wallet create`, each
 * command that opens it takes half a second of processor time; only the tests of the wallet itself pay that.
 * @param folder the configuration folder of the command line, created if missing
 */
export async function storeLightWallet(folder: string, privateKey: string, password: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keystore = await encryptKeystore(privateKey, password, { logN: 4 })
  writeFileSync(join(folder, 'wallet.json'), `${keystore}\n`, { mode: 0o600 })
}

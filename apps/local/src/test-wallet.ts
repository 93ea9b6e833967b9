import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError, isPrivateKey } from '@cairn/protocol'
import { type Hex, isHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { writeSecretFile } from './write-secret-file.ts'

/** The wallet of a local network, for trying things out. Never a wallet of value: its key lies on the disk in the clear. */
export type TestWallet = { address: string; privateKey: Hex }

/**
 * The test wallet of a home folder, made at its first start and kept in `wallet.key`, readable to its owner alone.
 * @throws CairnError INVALID_CONFIGURATION when the file is damaged or others can read it; it is never made anew then
 */
export async function openTestWallet(home: string): Promise<TestWallet> {
  const privateKey = await openSecretKey(join(home, 'wallet.key'))
  return { address: privateKeyToAddress(privateKey), privateKey }
}

/** A private key in a file, made where there is none. @throws CairnError INVALID_CONFIGURATION as above */
export async function openSecretKey(path: string): Promise<Hex> {
  return (await readKey(path)) ?? (await makeKey(path))
}

async function readKey(path: string): Promise<Hex | undefined> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CairnError('INVALID_CONFIGURATION', { message: `${path} cannot be read`, cause: error })
  }
  if (!isHex(text) || !isPrivateKey(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} holds no private key`,
      hint: 'Restore the file from a backup, or remove it: the next start makes another wallet.',
    })
  }
  // Windows keeps rights elsewhere; its mode bits say nothing.
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} can be read by others`,
      hint: `Run: chmod 600 ${path}`,
    })
  }
  return text
}

async function makeKey(path: string): Promise<Hex> {
  const privateKey = generatePrivateKey()
  await writeSecretFile(path, privateKey)
  return privateKey
}

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError, isPrivateKey } from '@cairn/protocol'
import { type Hex, isHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { writeFileWhole } from './write-file-whole.ts'

/** The wallet of a local network, for testing. Never a wallet of value: its key is on disk in plain text. */
export type TestWallet = { address: string; privateKey: Hex }

/**
 * Returns the test wallet of a home folder, created on first start and stored in `wallet.key`, readable by its owner
 * only.
 * @throws CairnError INVALID_CONFIGURATION if the file is damaged or others can read it; it is never created again
 */
export async function openTestWallet(home: string): Promise<TestWallet> {
  const privateKey = await openSecretKey(join(home, 'wallet.key'))
  return { address: privateKeyToAddress(privateKey), privateKey }
}

/**
 * Returns the private key in a file, created if missing.
 * @throws CairnError INVALID_CONFIGURATION as above
 */
export async function openSecretKey(path: string): Promise<Hex> {
  return (await readKey(path)) ?? (await makeKey(path))
}

async function readKey(path: string): Promise<Hex | undefined> {
  let text: string
  try {
    text = (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CairnError('INVALID_CONFIGURATION', { message: `Cannot read ${path}`, cause: error })
  }
  if (!isHex(text) || !isPrivateKey(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} does not contain a private key`,
      hint: 'Restore the file from a backup, or remove it to create a new wallet at the next start.',
    })
  }
  // Windows stores permissions elsewhere; its mode bits have no meaning.
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} is readable by other users`,
      hint: `Run: chmod 600 ${path}`,
    })
  }
  return text
}

async function makeKey(path: string): Promise<Hex> {
  const privateKey = generatePrivateKey()
  await writeFileWhole(path, `${privateKey}\n`)
  return privateKey
}

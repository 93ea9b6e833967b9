import { randomBytes } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeSecretBytes } from '@cairn/keynode'
import { CairnError } from '@cairn/protocol'
import { writeSecretFile } from './write-secret-file.ts'

/** Folder of one key node of a local network; its data and its secret are nobody else's. */
export function keyNodeFolder(home: string, node: number): string {
  return join(home, `keynode-${node}`)
}

/** Where the secret of a key node is. */
export function secretFile(home: string, node: number): string {
  return join(keyNodeFolder(home, node), 'secret.key')
}

/**
 * The secret of a key node, made at its first start and kept in its folder, readable to its owner alone.
 * @throws CairnError INVALID_CONFIGURATION when the file is damaged or others can read it; it is never made anew then
 */
export async function openNodeSecret(home: string, node: number): Promise<Uint8Array> {
  const folder = keyNodeFolder(home, node)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = secretFile(home, node)
  const text = (await readSecret(path)) ?? (await makeSecret(path))
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} holds no secret`,
      hint: 'Restore it from a backup: without it no shard of this node can be opened.',
    })
  }
  // Windows keeps rights elsewhere; its mode bits say nothing.
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} can be read by others`,
      hint: `Run: chmod 600 ${path}`,
    })
  return new Uint8Array(Buffer.from(text, 'hex'))
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CairnError('INVALID_CONFIGURATION', { message: `${path} cannot be read`, cause: error })
  }
}

async function makeSecret(path: string): Promise<string> {
  const secret = randomBytes(nodeSecretBytes).toString('hex')
  await writeSecretFile(path, secret)
  return secret
}

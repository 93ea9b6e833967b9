import { randomBytes, randomUUID } from 'node:crypto'
import { link, open, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { storageSecretBytes } from './config.ts'
import { syncFolder } from './objects/durable-folders.ts'
import { errnoOf } from './objects/file-errors.ts'

/** Name of the secret's file below CAIRN_HOME. */
export const secretFileName = 'storage.key'

/**
 * The secret of the storage service: the one that is set, or else the one in its home, made at the first start and readable
 * to its owner alone. Replicas that share a database must be given the same one.
 * @throws CairnError INVALID_CONFIGURATION for a file that holds no secret, or that others may read
 */
export async function openSecret(config: { home: string; secret: Uint8Array | undefined }): Promise<Uint8Array> {
  if (config.secret !== undefined) return config.secret
  const path = join(config.home, secretFileName)
  const text = (await readSecret(path)) ?? (await makeSecret(config.home, path))
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} holds no secret`,
      hint: 'Restore it from a backup: without it the keys of names that the service holds cannot be opened.',
    })
  }
  return Buffer.from(text, 'hex')
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    const text = await readFile(path, 'utf8')
    const { mode } = await stat(path)
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new CairnError('INVALID_CONFIGURATION', {
        message: `${path} may be read by others than its owner`,
        hint: `Run: chmod 600 ${path}`,
      })
    }
    return text.trim()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Written whole under another name first, then linked: a start that is cut off leaves no half, two starts make one secret. */
async function makeSecret(home: string, path: string): Promise<string> {
  const draft = join(home, `${secretFileName}.${randomUUID()}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(storageSecretBytes).toString('hex')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, path)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  await syncFolder(home)
  return (await readSecret(path)) ?? ''
}

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
 * Returns the secret of the storage service: the configured one, or the one in its home, which the first start
 * creates, readable only by its owner. Replicas that share a database must use the same one.
 * @throws CairnError INVALID_CONFIGURATION for a file that holds no secret, or that others may read
 */
export async function openSecret(config: { home: string; secret: Uint8Array | undefined }): Promise<Uint8Array> {
  return (
    (await findSecret(config)) ??
    parseSecret(config.home, await keepSecret(config.home, randomBytes(storageSecretBytes)))
  )
}

/**
 * Returns the configured secret, or the one in its home; undefined when there is none yet.
 * @throws CairnError INVALID_CONFIGURATION for a file that holds no secret, or that others may read
 */
export async function findSecret(config: {
  home: string
  secret: Uint8Array | undefined
}): Promise<Uint8Array | undefined> {
  if (config.secret !== undefined) return config.secret
  const text = await readSecret(join(config.home, secretFileName))
  return text === undefined ? undefined : parseSecret(config.home, text)
}

function parseSecret(home: string, text: string): Uint8Array {
  const path = join(home, secretFileName)
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} does not contain a secret`,
      hint: 'Restore it from a backup. Without it, the service cannot open its name keys.',
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
        message: `${path} is readable by other users`,
        hint: `Run: chmod 600 ${path}`,
      })
    }
    return text.trim()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Writes a secret to a file of the home, unless the file exists, and returns its text. Written completely under another
 * name, then linked: an interrupted start leaves no partial file, and concurrent starts create one secret.
 */
export async function keepSecret(home: string, secret: Uint8Array, name = secretFileName): Promise<string> {
  const path = join(home, name)
  const draft = join(home, `${name}.${randomUUID()}`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${Buffer.from(secret).toString('hex')}\n`)
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

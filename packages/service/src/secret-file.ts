import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { syncFolder } from './objects/durable-folders.ts'
import { errnoOf } from './objects/file-errors.ts'

/**
 * Returns the text of a file with a secret; undefined when there is none.
 * @throws CairnError INVALID_CONFIGURATION for a file that others may read
 */
export async function readSecretFile(path: string): Promise<string | undefined> {
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
    if (errnoOf(error) !== 'EISDIR') throw error
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} is a folder`,
      hint: 'Remove it, and restore the file of this name from a backup.',
      cause: error,
    })
  }
}

/**
 * Writes a secret to a file of the home, unless the file exists, and returns its text. Written completely under another
 * name, then linked: an interrupted start leaves no partial file, and concurrent starts create one secret.
 */
export async function keepSecretFile(home: string, name: string, secret: Uint8Array): Promise<string> {
  const path = join(home, name)
  const draft = join(home, `${name}.${randomUUID()}`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(`${Buffer.from(secret).toString('hex')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path)
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error
  } finally {
    // Also on a full disk, where each start would leave a part of a secret.
    await rm(draft, { force: true })
  }
  await syncFolder(home)
  return (await readSecretFile(path)) ?? ''
}

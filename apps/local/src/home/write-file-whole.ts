import { randomBytes } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file, readable only by its owner, under a temporary name first, so that an interruption leaves the old file or
 * the new one, and nothing in between.
 */
export async function writeFileWhole(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    // On a full disk, each attempt would leave a part of the content.
    await rm(draft, { force: true })
    throw error
  }
}

import { randomBytes } from 'node:crypto'
import { open, rename } from 'node:fs/promises'

/**
 * Writes a file, readable by its owner only, under a temporary name first, so that an interruption leaves the old file or
 * the new one, and nothing between.
 */
export async function writeFileWhole(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

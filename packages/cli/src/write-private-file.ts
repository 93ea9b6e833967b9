import { open, rm } from 'node:fs/promises'
import { CairnError } from '@cairn/sdk'

/**
 * Writes a new file that only its owner can read, and returns when it is on the disk. Leaves nothing when it fails.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    if (exists) throw new CairnError('FILE_EXISTS', { message: `${path} already exists`, cause })
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot write ${path}`, cause })
  })
  try {
    await file.writeFile(content)
    await file.sync()
  } catch (cause) {
    await rm(path, { force: true })
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot write ${path}`, cause })
  } finally {
    await file.close()
  }
}

import { randomBytes } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { writeFileWhole } from './write-file-whole.ts'

const secretBytes = 32

/**
 * Returns the secret of a service as 64 hex characters. Created on first start and stored in its folder, readable by
 * its owner only.
 * @param without consequence of losing it, for the message about a damaged file
 * @throws CairnError INVALID_CONFIGURATION if the file is damaged or others can read it; it is never created again
 */
export async function openSecret(path: string, without: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const text = (await readSecret(path)) ?? (await makeSecret(path))
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} does not contain a secret`,
      hint: `Restore it from a backup: ${without}.`,
    })
  }
  // Windows stores permissions elsewhere; its mode bits have no meaning.
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} is readable by other users`,
      hint: `Run: chmod 600 ${path}`,
    })
  return text
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CairnError('INVALID_CONFIGURATION', { message: `Cannot read ${path}`, cause: error })
  }
}

async function makeSecret(path: string): Promise<string> {
  const secret = randomBytes(secretBytes).toString('hex')
  await writeFileWhole(path, `${secret}\n`)
  return secret
}

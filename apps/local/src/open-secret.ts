import { randomBytes } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { writeSecretFile } from './write-secret-file.ts'

const secretBytes = 32

/**
 * A secret of a part of the network, made at its first start and kept in its folder, readable to its owner alone: 64 hex
 * characters.
 * @param without what cannot be done without it, for the message when it is damaged
 * @throws CairnError INVALID_CONFIGURATION when the file is damaged or others can read it; it is never made anew then
 */
export async function openSecret(path: string, without: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const text = (await readSecret(path)) ?? (await makeSecret(path))
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} holds no secret`,
      hint: `Restore it from a backup: ${without}.`,
    })
  }
  // Windows keeps rights elsewhere; its mode bits say nothing.
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} can be read by others`,
      hint: `Run: chmod 600 ${path}`,
    })
  return text
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
  const secret = randomBytes(secretBytes).toString('hex')
  await writeSecretFile(path, secret)
  return secret
}

import { readFile } from 'node:fs/promises'
import { CairnError, recoverExported } from '@cairn/sdk'

/**
 * Recovers the key of a set that `cairn keys export` wrote.
 * @throws CairnError FILE_UNREADABLE, INVALID_SHARD
 */
export async function readKeySet(path: string): Promise<{ cid: string; masterKey: string }> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  return recoverExported(parse(text))
}

/** Returns undefined for a text that is not JSON, and so is not a key set either. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

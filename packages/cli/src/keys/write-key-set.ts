import type { ExportedKey } from '@cairn/sdk'
import { writePrivateFile } from '../state/write-private-file.ts'

/**
 * Writes a set that `get --key-file` and `keys recover` read.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE
 */
export async function writeKeySet(path: string, set: ExportedKey): Promise<void> {
  await writePrivateFile(path, `${JSON.stringify(set, null, 2)}\n`)
}

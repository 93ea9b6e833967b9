import { type ExportedKey, prepareKey } from '@cairn/sdk'
import { writePrivateFile } from '../state/write-private-file.ts'

/**
 * Writes a file key as a set that `get --key-file` and `keys recover` read.
 * @throws CairnError FILE_EXISTS, FILE_UNREADABLE
 */
export async function writeKeySet(path: string, cid: string, masterKey: string): Promise<void> {
  const set: ExportedKey = {
    format: 'cairn-key-set/1',
    cid,
    threshold: 3,
    exportedAt: new Date().toISOString(),
    shards: prepareKey(masterKey).keyShards.map((shard, i) => ({ node: i + 1, ...shard })),
  }
  await writePrivateFile(path, `${JSON.stringify(set, null, 2)}\n`)
}

import { beginSeedV1, type SeedV1 } from '@cairn/crypto'
import { type PreparedKey, prepareKey } from '../keys/save-key.ts'
import type { LocalFile } from '../local-source.ts'
import { type EncryptPartOptions, findWorker } from './encrypt-part.ts'

/** A file with its own key. */
type PreparedFile = { file: LocalFile; key: PreparedKey; seed?: SeedV1 }

/** Keys derived at the same time: Node has four threads for them, and one stays free to read the current file. */
const derivedAtOnce = 3

/**
 * Gives each file a key of its own. The first format derives it from a password, which takes longer than sending a small file, so
 * the keys of the next files are derived in the meantime.
 */
export async function* prepareAhead(
  files: AsyncIterable<LocalFile> | Iterable<LocalFile>,
  options: EncryptPartOptions,
): AsyncGenerator<PreparedFile, void, undefined> {
  const waiting: PreparedFile[] = []
  try {
    for await (const file of files) {
      waiting.push(prepare(file, options))
      const first = waiting.length > derivedAtOnce ? waiting.shift() : undefined
      if (first !== undefined) yield first
    }
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) yield first
  } finally {
    // A derivation cannot be stopped: an upload that ends early waits for those under way.
    await Promise.allSettled(waiting.map(({ seed }) => seed?.keyBytes))
  }
}

function prepare(file: LocalFile, { format = 'v1', ...options }: EncryptPartOptions): PreparedFile {
  const key = prepareKey()
  const isHere = findWorker(file, options) === undefined
  return format === 'v1' && isHere ? { file, key, seed: beginSeedV1(key.masterKey) } : { file, key }
}

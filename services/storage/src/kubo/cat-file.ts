import { CairnError } from '@cairn/protocol'
import { readFile, resolvePath, statNode, UnixfsError } from '@cairn/unixfs'
import { readCidText } from '../gateway/parse-cid.ts'
import type { PackStore } from '../packs/packs.ts'

/** Which bytes of a file. */
export type CatOptions = { offset?: number | undefined; length?: number | undefined; signal: AbortSignal }

/**
 * Opens a file by Kubo's `{cid}/{path}` or `/ipfs/{cid}/{path}`. Everything that can be known before the first byte is
 * checked before the promise resolves.
 *
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PATH_NOT_FOUND, NOT_A_DIRECTORY, INVALID_PATH, DATA_DAMAGED,
 * DAG_TOO_DEEP, UNSUPPORTED_CODEC
 */
export async function openCat(
  packs: PackStore,
  arg: string,
  { offset = 0, length, signal }: CatOptions,
): Promise<{ sizeBytes: number; bytes: AsyncGenerator<Uint8Array, void, undefined> }> {
  const [root = '', ...segments] = arg.replace(/^\/ipfs\//, '').split('/')
  const cid = readCidText(root)
  if (cid === undefined) throw new CairnError('INVALID_CID')
  try {
    const found = await resolvePath(
      packs,
      cid,
      segments.filter((segment) => segment !== ''),
      { signal },
    )
    const { fileSizeBytes } = await statNode(packs, found.cid, { signal })
    if (fileSizeBytes === undefined || found.remaining.length > 0) {
      throw new CairnError('INVALID_PATH', { message: 'this dag node is a directory', hint: 'Name a file in it.' })
    }
    const fromByte = Math.min(offset, fileSizeBytes)
    const toByte = Math.min(fileSizeBytes, length === undefined ? fileSizeBytes : fromByte + length)
    return { sizeBytes: toByte - fromByte, bytes: readFile(packs, found.cid, { fromByte, toByte, signal }) }
  } catch (error) {
    throw toReadError(error)
  }
}

function toReadError(error: unknown): unknown {
  if (!UnixfsError.is(error)) return error
  const { message, details } = error
  const options = { message, details: { ...details }, cause: error }
  switch (error.code) {
    case 'MISSING_BLOCK':
      return new CairnError('BLOCK_NOT_FOUND', options)
    case 'NOT_FOUND':
      return new CairnError('PATH_NOT_FOUND', options)
    case 'NOT_A_DIRECTORY':
      return new CairnError('NOT_A_DIRECTORY', options)
    case 'TOO_DEEP':
    case 'TOO_LARGE':
    case 'CYCLE':
      return new CairnError('DAG_TOO_DEEP', options)
    case 'UNSUPPORTED':
      return new CairnError('UNSUPPORTED_CODEC', options)
    default:
      return new CairnError('DATA_DAMAGED', options)
  }
}

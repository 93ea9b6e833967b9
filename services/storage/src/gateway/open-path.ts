import { CairnError } from '@cairn/protocol'
import { type BlockSource, type DagNode, resolvePath, UnixfsError, type UnixfsErrorCode } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { immutable } from './answer.ts'
import { type ContentPath, ipfsUri, type NameMount, plainContentPath } from './content-path.ts'
import { findLinkedValue } from './linked-value.ts'

/** What a content path led to. */
export type Entity = {
  cid: CID
  node: DagNode
  /** What each name led to, the root first and {@link cid} last. */
  roots: readonly CID[]
  /** Every block read on the way, {@link cid} last. */
  blocks: readonly CID[]
  /** Names that go on inside linked data and end at a value that is no link. */
  remaining: readonly string[]
}

/** Most documents of linked data that one path may pass through. */
const linkedDocumentsMost = 64

/**
 * Walks a path: folders, sharded or not, and the links of DAG-CBOR and DAG-JSON documents.
 * @throws UnixfsError as `resolvePath` does
 */
export async function openPath(source: BlockSource, path: ContentPath, signal: AbortSignal): Promise<Entity> {
  let start = path.cid
  let segments: readonly string[] = path.segments
  const roots: CID[] = []
  const blocks: CID[] = []
  for (let documents = 0; documents < linkedDocumentsMost; documents++) {
    const found = await resolvePath(source, start, segments, { signal, maxSegments: 512 })
    roots.push(...found.roots)
    blocks.push(...found.blocks)
    const entity = { cid: found.cid, node: found.node, roots, blocks }
    if (found.remaining.length === 0) return { ...entity, remaining: [] }
    const value = await findLinkedValue(source, found.cid, found.remaining, signal)
    if (value.link === undefined) return { ...entity, remaining: found.remaining }
    start = value.link
    segments = value.remaining
  }
  throw new UnixfsError('TOO_DEEP', `A path through more than ${linkedDocumentsMost} documents`)
}

/** Headers that every answer about a content path carries. */
export function contentHeaders(path: ContentPath, entity?: Pick<Entity, 'roots'>): Record<string, string> {
  const plain = plainContentPath(path)
  const roots = entity?.roots.map(String).join(',')
  return {
    'cache-control': cachePolicy(path, immutable),
    'ipfs-uri': ipfsUri(path),
    ...(plain === undefined ? {} : { 'x-ipfs-path': plain }),
    // Clients take headers of some 8 to 16 KiB in all; a deeper path than that goes without.
    ...(roots === undefined || roots.length > 6000 ? {} : { 'x-ipfs-roots': roots }),
  }
}

/** How long an answer may be kept: as content allows, or, where a name stands for it, as long as that is sure to lead there. */
export function cachePolicy({ mount }: { mount?: NameMount }, ofContent: string): string {
  return mount === undefined ? ofContent : `public, max-age=${Math.floor(mount.maxAgeMs / 1000)}`
}

/** Says in the service's words what went wrong while reading. */
export function toGatewayError(error: unknown): CairnError {
  if (CairnError.is(error) || !UnixfsError.is(error)) return CairnError.from(error)
  const [code, keepMessage] = errorCodes[error.code]
  return new CairnError(code, { cause: error, ...(keepMessage ? { message: error.message } : {}) })
}

const errorCodes: Record<UnixfsErrorCode, [CairnError['code'], boolean]> = {
  MISSING_BLOCK: ['BLOCK_NOT_FOUND', false],
  HASH_MISMATCH: ['DATA_DAMAGED', false],
  NOT_FOUND: ['PATH_NOT_FOUND', false],
  // A path below a file names nothing: to a reader that is the same as a name that is not there.
  NOT_A_DIRECTORY: ['PATH_NOT_FOUND', true],
  NOT_A_FILE: ['NOT_ACCEPTABLE', true],
  BAD_BLOCK: ['UNSUPPORTED_CODEC', true],
  BAD_RANGE: ['INVALID_RANGE', true],
  TOO_DEEP: ['DAG_TOO_DEEP', true],
  TOO_LARGE: ['DAG_TOO_DEEP', true],
  CYCLE: ['DAG_TOO_DEEP', true],
  UNSUPPORTED: ['UNSUPPORTED_CODEC', true],
  BAD_CAR: ['INTERNAL', false],
  BAD_NAME: ['INVALID_PATH', true],
  DUPLICATE_NAME: ['INTERNAL', false],
}

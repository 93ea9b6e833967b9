import { CairnError, restoreError } from '@cairn/protocol'
import { type BlockSource, type DagNode, resolvePath, UnixfsError, type UnixfsErrorCode } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { immutable } from './answer.ts'
import { findLinkedValue, type LinkedValue } from './linked-value.ts'
import { type ContentPath, ipfsUri, type NameMount, plainContentPath } from './requests/content-path.ts'

/** The target of a content path. */
export type Entity = {
  cid: CID
  node: DagNode
  /** The CID of each path element, the root first and {@link cid} last. */
  roots: readonly CID[]
  /** Every block read on the way, {@link cid} last. */
  blocks: readonly CID[]
  /** Remaining names inside linked data, which end at a value that is not a link. */
  remaining: readonly string[]
}

const dagPbCode = 0x70

/** Maximum number of linked data documents that one path may pass through. */
const maxLinkedDocuments = 64

/**
 * Resolves a path through folders, sharded or not, the links of DAG-CBOR and DAG-JSON documents, and the names of other
 * DAG-PB nodes.
 * @param blocks receives the CID of every block read, also if the path does not exist
 * @throws UnixfsError as `resolvePath` does
 */
export async function openPath(
  source: BlockSource,
  path: ContentPath,
  signal: AbortSignal,
  blocks: CID[] = [],
): Promise<Entity> {
  let start = path.cid
  let segments: readonly string[] = path.segments
  const roots: CID[] = []
  const onBlock = (cid: CID) => blocks.push(cid)
  for (let documents = 0; documents < maxLinkedDocuments; documents++) {
    const found = await resolvePath(source, start, segments, { signal, maxSegments: 512, onBlock })
    roots.push(...found.roots)
    const entity = { cid: found.cid, node: found.node, roots, blocks }
    if (found.remaining.length === 0) return { ...entity, remaining: [] }
    const value =
      found.cid.code === dagPbCode
        ? findNamedLink(found.node, found.remaining)
        : await findLinkedValue(source, found.cid, found.remaining, signal)
    if (value.link === undefined) return { ...entity, remaining: found.remaining }
    start = value.link
    segments = value.remaining
  }
  throw new UnixfsError('TOO_DEEP', `The path goes through more than ${maxLinkedDocuments} documents`)
}

/** Follows the first name in a DAG-PB node that is not UnixFS. @throws UnixfsError NOT_FOUND */
function findNamedLink({ links }: DagNode, [name, ...remaining]: readonly string[]): LinkedValue {
  const link = links.find((one) => one.name === name)
  if (link === undefined) throw new UnixfsError('NOT_FOUND', `The node has no link "${name}"`)
  return { link: link.cid, remaining }
}

/** Returns the headers of every answer about a content path. */
export function contentHeaders(path: ContentPath, entity?: Pick<Entity, 'roots'>): Record<string, string> {
  const plain = plainContentPath(path)
  const roots = entity?.roots.map(String).join(',')
  return {
    'cache-control': cachePolicy(path, immutable),
    'ipfs-uri': ipfsUri(path),
    ...(plain === undefined ? {} : { 'x-ipfs-path': plain }),
    // Clients accept headers of about 8 to 16 KiB in total; the header is omitted for a deeper path.
    ...(roots === undefined || roots.length > 6000 ? {} : { 'x-ipfs-roots': roots }),
  }
}

/**
 * Returns how long an answer may be cached: as the content allows or, for a name, as long as its resolution is
 * guaranteed.
 */
export function cachePolicy({ mount }: { mount?: NameMount }, ofContent: string): string {
  return mount === undefined ? ofContent : `public, max-age=${Math.floor(mount.maxAgeMs / 1000)}`
}

/** Maps a read error to a CairnError of the gateway. */
export function toGatewayError(error: unknown): CairnError {
  if (CairnError.is(error) || !UnixfsError.is(error)) return CairnError.from(error)
  const [code, keepMessage] = errorCodes[error.code]
  return restoreError(code, {
    cause: error,
    details: error.details,
    ...(keepMessage ? { message: error.message } : {}),
  })
}

const errorCodes: Record<UnixfsErrorCode, [CairnError['code'], boolean]> = {
  MISSING_BLOCK: ['BLOCK_NOT_FOUND', false],
  HASH_MISMATCH: ['DATA_DAMAGED', false],
  NOT_FOUND: ['PATH_NOT_FOUND', false],
  // A path below a file does not exist; clients see the same error as for a missing name.
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

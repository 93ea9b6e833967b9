import { CairnError } from '@cairn/protocol'
import {
  type BlockSource,
  encodeCarFrame,
  encodeCarHeader,
  type ReadOptions,
  type WalkOptions,
  walkDag,
} from '@cairn/unixfs'
import { CID } from 'multiformats/cid'
import { identityCode } from '../../content/parse-cid.ts'
import { inShortTurns } from '../../resources/yield-to-others.ts'
import type { Answer, ContentRequest, Gateway } from '../answer.ts'
import { notModified } from '../answer.ts'
import { contentHeaders, type Entity } from '../open-path.ts'
import { type CarOptions, mediaTypes } from '../requests/response-format.ts'
import { contentDisposition } from './content-disposition.ts'
import { isNotModified } from './entity-tags.ts'

/** The root of a CAR whose target does not exist, as in Kubo: no bytes, within the CID itself. */
const noRoot = CID.parse('bafkqaaa')

type Scope = NonNullable<WalkOptions['scope']>
type EntityBytes = NonNullable<WalkOptions['entityBytes']>

/**
 * Answers with a CAR of version 1: the blocks that prove the path, then those of its target, depth first.
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/ and IPIP-0402, IPIP-0412
 * @throws CairnError INVALID_REQUEST
 */
export function serveCar(gateway: Gateway, request: ContentRequest, entity: Entity, options: CarOptions): Answer {
  const { entityBytes, scope } = readSelection(request)
  const dups = options.dups ? 'y' : 'n'
  const bytesTag =
    entityBytes === undefined ? '' : `.${entityBytes.from}_${entityBytes.to === '*' ? '' : entityBytes.to}`
  const headers = {
    ...contentHeaders(request.path, entity),
    etag: `W/"${entity.roots[0]?.toString()}.${entity.cid.toString()}.car.${scope}.dups-${dups}${bytesTag}"`,
    ...carHeaders(request, options, entity.cid),
  }
  if (isNotModified(request.headers, [headers.etag])) return notModified(headers)
  if (request.method === 'HEAD') return { status: 200, headers }
  const walk: WalkOptions = {
    scope,
    dups: options.dups,
    signal: request.signal,
    ...(entityBytes === undefined ? {} : { entityBytes }),
  }
  // Not the whole entity: a slow reader would keep all of its decoded links.
  const { cid, blocks } = entity
  return { status: 200, headers, body: () => writeCar(gateway, { cid, blocks }, walk) }
}

/**
 * Answers for a path that does not exist with a CAR of the blocks that prove it, so that clients need not trust the gateway.
 * @param blocks those on the path, as far as it exists
 * @throws CairnError INVALID_REQUEST
 */
export function serveMissingPath(
  gateway: Gateway,
  request: ContentRequest,
  blocks: readonly CID[],
  options: CarOptions,
): Answer {
  readSelection(request)
  const { cid } = request.path
  const headers = {
    ...contentHeaders(request.path, { roots: [cid] }),
    etag: `W/"${cid}.${blocks.at(-1)?.toString()}.car.missing.dups-${options.dups ? 'y' : 'n'}"`,
    ...carHeaders(request, options, cid),
  }
  if (isNotModified(request.headers, [headers.etag])) return notModified(headers)
  if (request.method === 'HEAD') return { status: 200, headers }
  const { source } = gateway
  const { signal } = request
  const body = async function* () {
    yield encodeCarHeader([noRoot])
    yield* writeBlocks(source, blocks, { signal })
  }
  return { status: 200, headers, body }
}

function carHeaders({ query }: ContentRequest, { order, dups }: CarOptions, cid: CID): Record<string, string> {
  return {
    'content-type': `${mediaTypes.car}; version=1; order=${order}; dups=${dups ? 'y' : 'n'}`,
    'content-disposition': contentDisposition('attachment', query.get('filename') ?? `${cid}.car`),
    'accept-ranges': 'none',
    vary: 'Accept',
  }
}

/** Writes a CAR of the blocks on the path to an entity, and of the entity itself. */
export async function* writeCar(
  { source }: Pick<Gateway, 'source'>,
  entity: Pick<Entity, 'cid' | 'blocks'>,
  walk: WalkOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield encodeCarHeader([entity.cid])
  // The last block of the path is the first of the walk.
  yield* writeBlocks(source, entity.blocks.slice(0, -1), walk)
  for await (const { cid, bytes } of inShortTurns(walkDag(source, entity.cid, walk), walk.signal)) {
    yield* frame(cid, bytes)
  }
}

async function* writeBlocks(
  source: BlockSource,
  blocks: readonly CID[],
  options: ReadOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (const cid of blocks) {
    if (cid.multihash.code === identityCode) continue
    const bytes = await source.get(cid, options)
    yield encodeCarFrame(cid, bytes.length)
    yield bytes
  }
}

/** Small blocks are sent in one piece with their frame, large ones without a copy. */
function* frame(cid: CID, bytes: Uint8Array): Generator<Uint8Array> {
  const head = encodeCarFrame(cid, bytes.length)
  if (bytes.length > 16_384) {
    yield head
    yield bytes
  } else yield Buffer.concat([head, bytes])
}

/** @throws CairnError INVALID_REQUEST */
function readSelection({ query }: ContentRequest): { scope: Scope; entityBytes: EntityBytes | undefined } {
  const entityBytes = readEntityBytes(query.get('entity-bytes'))
  // entity-bytes selects bytes of the entity, so it implies that scope.
  const scope = readScope(query.get('dag-scope')) ?? (entityBytes === undefined ? 'all' : 'entity')
  return { scope, entityBytes }
}

function readScope(text: string | null): Scope | undefined {
  if (text === null) return undefined
  if (text === 'block' || text === 'entity' || text === 'all') return text
  throw new CairnError('INVALID_REQUEST', { message: 'dag-scope must be block, entity or all' })
}

function readEntityBytes(text: string | null): EntityBytes | undefined {
  if (text === null) return undefined
  const match = /^(-?\d{1,15}):(\*|-?\d{1,15})$/.exec(text)
  const from = Number(match?.[1])
  const to = match?.[2] === '*' ? '*' : Number(match?.[2])
  const sameSide = to !== '*' && from >= 0 === to >= 0
  if (match === null || (sameSide && to < from)) {
    throw new CairnError('INVALID_REQUEST', { message: 'entity-bytes must be from:to, as in 0:1023, 512:* or -1024:*' })
  }
  return { from, to }
}

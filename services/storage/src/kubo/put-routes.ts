import { CairnError, kuboBlockPut, kuboDagPut } from '@cairn/protocol'
import { hashBlock } from '@cairn/unixfs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CID } from 'multiformats/cid'
import { create as createDigest } from 'multiformats/hashes/digest'
import type { Context } from '../context.ts'
import { sendLines } from '../http/send-lines.ts'
import { readBoundary } from '../multipart/boundary.ts'
import { hashSha256 } from '../packs/packs.ts'
import { type Block, importBlocks, readSteadily } from '../uploads/uploads.ts'
import { type CodecName, codeOf, transcode } from './encode-node.ts'
import { kuboRoute } from './kubo-route.ts'

const sha256Name = 'sha2-256'
const sha256Code = 0x12
const sha256Bytes = 32
const dagPbCode = 0x70

/** The parts of the CID of a stored block, besides the block. */
type CidForm = { code: number; hash: string | undefined; digestBytes?: number; isVersion0?: boolean }

/** Registers Kubo's calls that store single blocks. */
export function registerKuboPutRoutes(app: FastifyInstance, context: Context): void {
  const store = (
    address: string,
    raw: FastifyRequest,
    signal: AbortSignal,
    toBlock: (part: Uint8Array) => Promise<Block>,
  ) =>
    importBlocks(context, address, readSteadily(raw.raw, signal, context.config.uploadRateWindowMs), {
      boundary: readBoundary(raw.headers['content-type']),
      toBlock,
      signal,
    })

  kuboRoute(app, context, kuboBlockPut, async ({ input: { query }, caller, raw, reply, signal }) => {
    const { format, version } = query
    const isVersion0 = format === 'v0' || version === '0'
    const codec = query['cid-codec'] ?? 'raw'
    if (format !== undefined && codec !== 'raw') {
      throw new CairnError('INVALID_REQUEST', { message: 'Send either cid-codec or format, which is its old form' })
    }
    const form = {
      code: codeOf(format === undefined ? codec : codecOfFormat(format)),
      hash: query.mhtype,
      ...(query.mhlen === undefined || query.mhlen < 0 ? {} : { digestBytes: query.mhlen }),
      isVersion0,
    }
    requireVersion0Hash(form)
    const stored = await store(caller.address, raw, signal, (bytes) => toBlock(bytes, form))
    return sendLines(
      reply,
      stored.map(({ cid, sizeBytes }) => ({ Key: cid.toString(), Size: sizeBytes })),
    )
  })

  kuboRoute(app, context, kuboDagPut, async ({ input: { query }, caller, raw, reply, signal }) => {
    const to = query['store-codec'] ?? 'dag-cbor'
    const from = query['input-codec'] ?? 'dag-json'
    const stored = await store(caller.address, raw, signal, async (part) =>
      toBlock(transcode(part, from, to), { code: codeOf(to), hash: query.hash }),
    )
    return sendLines(
      reply,
      stored.map(({ cid }) => ({ Cid: { '/': cid.toString() } })),
    )
  })
}

/** Returns the codec that an old `format` names: there, CBOR is DAG-CBOR. */
function codecOfFormat(format: 'v0' | 'protobuf' | CodecName): CodecName {
  if (format === 'v0' || format === 'protobuf') return 'dag-pb'
  return format === 'cbor' ? 'dag-cbor' : format
}

/** @throws CairnError UNSUPPORTED_CODEC: a CID of version 0 with another hash than SHA2-256 */
function requireVersion0Hash({ code, hash = sha256Name, digestBytes = sha256Bytes, isVersion0 }: CidForm): void {
  if (!isVersion0 || code !== dagPbCode || (hash === sha256Name && digestBytes === sha256Bytes)) return
  throw new CairnError('UNSUPPORTED_CODEC', {
    message: `A CID of version 0 has a ${sha256Name} digest of ${sha256Bytes} bytes`,
    hint: 'Send version=1 for another hash function or length.',
  })
}

async function toBlock(
  bytes: Uint8Array,
  { code, hash = sha256Name, digestBytes, isVersion0 = false }: CidForm,
): Promise<Block> {
  if (hash !== sha256Name || (digestBytes ?? sha256Bytes) !== sha256Bytes) {
    return { cid: CID.createV1(code, await hashBlock(hash, bytes, digestBytes)), bytes }
  }
  const multihash = createDigest(sha256Code, hashSha256(bytes))
  return { cid: isVersion0 && code === dagPbCode ? CID.createV0(multihash) : CID.createV1(code, multihash), bytes }
}

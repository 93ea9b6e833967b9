import { CairnError, type ErrorCode } from '@cairn/protocol'
import { type BlockSource, type CarReading, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform'
import type { Client } from '../client.ts'
import { describeFault, openResponse } from '../request.ts'
import { type ContentPath, gatewayUrl } from './content-path.ts'

/** Blocks of one answer, each checked against its CID; asked for in the order in which they come. */
export type CarSource = BlockSource & {
  /** Lets the block read last be asked for once more: the walk of a path ends where that of the content begins. */
  repeatLast(): void
  close(): Promise<void>
}

/**
 * Opens content as a CAR of exactly the blocks that a walk needs, in depth-first order with repeated blocks repeated.
 * Nothing in it is trusted: blocks are compared with the CID that the walk asks for, so a gateway can fail but not lie.
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export async function openCarSource(
  client: Client,
  path: ContentPath,
  query: { scope: 'block' | 'entity' | 'all'; entityBytes?: string },
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  const search = new URLSearchParams({ format: 'car', 'dag-scope': query.scope })
  if (query.entityBytes !== undefined) search.set('entity-bytes', query.entityBytes)
  const response = await openResponse(client, {
    url: `${gatewayUrl(client.network.gateway, path)}?${search}`,
    method: 'GET',
    headers: { accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=y' },
    dialect: 'gateway',
    signal,
    timeoutMs: client.transferTimeoutMs,
  })
  if (response.body === null) throw new CairnError('UNEXPECTED_RESPONSE')
  const reading: CarReading = await readCar(pieces(response.body)).catch((error: unknown) => {
    throw describeDamage(error, signal)
  })
  const blocks = reading.blocks[Symbol.asyncIterator]()
  let last: { cid: CID; bytes: Uint8Array } | undefined
  let mayRepeat = false
  return {
    async get(cid: CID): Promise<Uint8Array> {
      if (mayRepeat && last?.cid.equals(cid)) {
        mayRepeat = false
        return last.bytes
      }
      try {
        const { done, value } = await blocks.next()
        if (done) throw new CairnError('DOWNLOAD_INCOMPLETE')
        const isWanted: boolean = value.cid.equals(cid)
        if (!isWanted) {
          throw new CairnError('VERIFICATION_FAILED', {
            details: { expected: cid.toString(), received: value.cid.toString() },
          })
        }
        await verifyBlock(cid, value.bytes, hashSha256)
        last = { cid, bytes: value.bytes }
        return value.bytes
      } catch (error) {
        throw describeDamage(error, signal)
      }
    },
    repeatLast() {
      mayRepeat = true
    },
    close: async () => {
      await blocks.return?.(undefined)
    },
  }
}

async function* pieces(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const codes: Partial<Record<string, ErrorCode>> = {
  HASH_MISMATCH: 'VERIFICATION_FAILED',
  BAD_BLOCK: 'VERIFICATION_FAILED',
  BAD_CAR: 'DOWNLOAD_INCOMPLETE',
  MISSING_BLOCK: 'DOWNLOAD_INCOMPLETE',
  NOT_FOUND: 'PATH_NOT_FOUND',
  NOT_A_DIRECTORY: 'NOT_A_DIRECTORY',
  BAD_RANGE: 'INVALID_RANGE',
  UNSUPPORTED: 'UNSUPPORTED_CODEC',
  TOO_DEEP: 'DAG_TOO_DEEP',
  TOO_LARGE: 'DAG_TOO_DEEP',
}

/** Faults of a walk, as ours: what does not verify, what ended too early, what is not there. */
export function describeDamage(error: unknown, signal: AbortSignal | undefined): CairnError {
  if (error instanceof UnixfsError) {
    const code = codes[error.code]
    if (code !== undefined) return new CairnError(code, { cause: error, details: { reason: error.message } })
    return new CairnError('VERIFICATION_FAILED', { cause: error, details: { reason: error.message } })
  }
  const fault = describeFault(error, signal)
  // A stream that breaks in its middle is a download that can go on from there.
  return fault.code === 'NETWORK_ERROR' ? new CairnError('DOWNLOAD_INCOMPLETE', { cause: error }) : fault
}

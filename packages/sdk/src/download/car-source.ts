import { CairnError, type ErrorCode, restoreError } from '@cairn/protocol'
import { type BlockSource, type CarReading, readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { hashSha256 } from '#platform/native-crypto'
import type { Client } from '../client.ts'
import { describeFailure, openBody, tryAgain } from '../request.ts'
import { type ContentPath, gatewayUrl } from './content-path.ts'

/**
 * Blocks of one response, verified against their CIDs. Request them in the order of the response. The bytes of a raw block are
 * valid until the next request; those of other blocks, to which links point, remain.
 */
export type CarSource = BlockSource & {
  /**
   * Makes the last block available again if it is that of `cid`: the walk of a path ends at the block where the content begins.
   * Identity CIDs have no block.
   */
  repeatLast(cid: CID): void
  close(): Promise<void>
}

/** What to request. `more` contains further query parameters, such as a range or a signed link, each with its ampersand. */
export type CarQuery = { scope: 'block' | 'entity' | 'all'; more?: string }

/** The codec of bytes without links. */
export const rawCodec = 0x55

/**
 * Opens content as a CAR with exactly the blocks that a walk needs, depth-first and with duplicates. Every block is
 * compared with the CID that the walk requests, so a gateway can fail but not lie. Retries until a response begins.
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export async function openCarSource(
  client: Client,
  path: ContentPath,
  { scope, more = '' }: CarQuery,
  signal: AbortSignal | undefined,
): Promise<CarSource> {
  const open = async () => {
    const body = await openBody(client, {
      url: `${gatewayUrl(client.network.gateway, path)}?format=car&dag-scope=${scope}${more}`,
      method: 'GET',
      headers: { accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=y' },
      dialect: 'gateway',
      signal,
      timeoutMs: client.transferTimeoutMs,
    })
    const reading: CarReading = await readCar(body, { reusesBuffer: true }).catch((error: unknown) => {
      throw describeDamage(error, signal)
    })
    return { body, reading }
  }
  const { body, reading } = await tryAgain(open, signal)
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
        const bytes = cid.code === rawCodec ? value.bytes : value.bytes.slice()
        last = { cid, bytes }
        return bytes
      } catch (error) {
        throw describeDamage(error, signal)
      }
    },
    repeatLast(cid) {
      mayRepeat = last?.cid.equals(cid) === true
    },
    // Closes the connection first, so that a gateway that stopped sending does not delay the end.
    close: async () => {
      await body.return?.()
      await blocks.return?.(undefined)
    },
  }
}

/** Any other error means that the data does not match the CID. */
const codes: Partial<Record<string, ErrorCode>> = {
  BAD_CAR: 'DOWNLOAD_INCOMPLETE',
  MISSING_BLOCK: 'DOWNLOAD_INCOMPLETE',
  NOT_FOUND: 'PATH_NOT_FOUND',
  NOT_A_DIRECTORY: 'NOT_A_DIRECTORY',
  BAD_RANGE: 'INVALID_RANGE',
  UNSUPPORTED: 'UNSUPPORTED_CODEC',
  TOO_DEEP: 'DAG_TOO_DEEP',
  TOO_LARGE: 'DAG_TOO_DEEP',
}

/**
 * Maps an error of a walk to a CairnError: verification failed, the stream ended early, or the content is not found.
 */
export function describeDamage(error: unknown, signal: AbortSignal | undefined): CairnError {
  if (error instanceof UnixfsError) {
    const code = codes[error.code] ?? 'VERIFICATION_FAILED'
    return restoreError(code, { cause: error, details: { reason: error.message } })
  }
  const failure = describeFailure(error, signal)
  // A stream that breaks in the middle is a download that can resume there.
  return failure.code === 'NETWORK_ERROR' ? new CairnError('DOWNLOAD_INCOMPLETE', { cause: error }) : failure
}

import {
  CairnError,
  type CallResult,
  getCopies as getCopiesCall,
  getProofs as getProofsCall,
  listChecks as listChecksCall,
  type PossessionCheck,
  setCopies as setCopiesCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** Where content is stored, and all that is needed to check it. */
export type StorageProofs = CallResult<typeof getProofsCall>

/** The replication factor of an account, what is usual on the network, and the most it allows. */
export type Copies = CallResult<typeof getCopiesCall>

/**
 * Where content is stored, with the proofs, unchecked: {@link verifyStorage} checks them.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PROOF_NOT_FOUND while it lies in no piece yet
 */
export function getProofs(
  client: Client,
  cid: string,
  options: CallOptions & {
    /** How many pieces were seen on the pages before. */
    from?: number
  } = {},
): Promise<StorageProofs> {
  const { from = 0 } = options
  return call(client, getProofsCall, { params: { cid }, query: from === 0 ? {} : { from: String(from) } }, options)
}

/** Pages of pieces: those of 4 TiB. A service that has more to say is not listened to. */
const pagesMost = 512

/**
 * As {@link getProofs}, with the pieces of all pages.
 * @throws CairnError UNEXPECTED_RESPONSE where the pages do not end
 */
export async function getAllProofs(client: Client, cid: string, options: CallOptions = {}): Promise<StorageProofs> {
  const first = await getProofs(client, cid, options)
  const pieces = [...first.pieces]
  for (let page = first, pages = 1; page.furtherPieces > 0; pages++) {
    page = await getProofs(client, cid, { ...options, from: pieces.length })
    pieces.push(...page.pieces)
    if (page.pieces.length === 0 || pages > pagesMost) {
      throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The service names pieces without an end' })
    }
  }
  return { ...first, pieces, furtherPieces: 0 }
}

/**
 * Challenges to the providers of a piece or aggregate and what came of them, newest first, in pages.
 * @throws CairnError INVALID_PIECE_CID, PIECE_NOT_FOUND
 */
export async function* listChecks(
  client: Client,
  piece: string,
  options?: CallOptions,
): AsyncGenerator<PossessionCheck, void, undefined> {
  const limit = 100
  let after: string | undefined
  for (;;) {
    const query = { limit: String(limit), ...(after === undefined ? {} : { after }) }
    const { checks } = await call(client, listChecksCall, { params: { piece }, query }, options)
    yield* checks
    if (checks.length < limit) return
    after = checks.at(-1)?.id
  }
}

/** With how many providers the account's content is kept. */
export function getCopies(client: Client, options?: CallOptions): Promise<Copies> {
  return call(client, getCopiesCall, {}, options)
}

/**
 * Sets with how many providers the account's content is kept: what is stored from now on, and what is kept with fewer.
 * @throws CairnError INVALID_REQUEST when it is more than the network allows
 */
export function setCopies(client: Client, copies: number, options?: CallOptions): Promise<Copies> {
  return call(client, setCopiesCall, { body: { copies } }, options)
}

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

/** Locations of content, with everything needed to verify them. */
export type StorageProofs = CallResult<typeof getProofsCall>

/** Replication factor of an account, with the default and maximum of the network. */
export type Copies = CallResult<typeof getCopiesCall>

/**
 * Returns the locations of content with their proofs, unverified: {@link verifyStorage} verifies them.
 * @throws CairnError INVALID_CID, BLOCK_NOT_FOUND, PROOF_NOT_FOUND until it is part of a piece
 */
export function getProofs(
  client: Client,
  cid: string,
  options: CallOptions & {
    /** Number of pieces on the previous pages. */
    from?: number
  } = {},
): Promise<StorageProofs> {
  const { from = 0 } = options
  return call(client, getProofsCall, { params: { cid }, query: from === 0 ? {} : { from: String(from) } }, options)
}

/** Maximum number of pages of pieces: enough for 4 TiB. The client rejects longer answers. */
const maxPages = 512

/**
 * As {@link getProofs}, with the pieces of all pages.
 * @throws CairnError UNEXPECTED_RESPONSE if the pages do not end
 */
export async function getAllProofs(client: Client, cid: string, options: CallOptions = {}): Promise<StorageProofs> {
  const first = await getProofs(client, cid, options)
  const pieces = [...first.pieces]
  for (let page = first, pages = 1; page.furtherPieces > 0; pages++) {
    page = await getProofs(client, cid, { ...options, from: pieces.length })
    pieces.push(...page.pieces)
    if (page.pieces.length === 0 || pages > maxPages) {
      throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The service returned an endless list of pieces' })
    }
  }
  return { ...first, pieces, furtherPieces: 0 }
}

/**
 * Lists the challenges to the providers of a piece or aggregate with their results, newest first, in pages.
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

/** Returns the number of providers that store the content of the account. */
export function getCopies(client: Client, options?: CallOptions): Promise<Copies> {
  return call(client, getCopiesCall, {}, options)
}

/**
 * Sets the number of providers that store the content of the account: applies to new content, and to content with fewer
 * copies.
 * @throws CairnError INVALID_REQUEST above the maximum of the network
 */
export function setCopies(client: Client, copies: number, options?: CallOptions): Promise<Copies> {
  return call(client, setCopiesCall, { body: { copies } }, options)
}

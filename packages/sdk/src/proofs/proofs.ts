import {
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
export function getProofs(client: Client, cid: string, options?: CallOptions): Promise<StorageProofs> {
  return call(client, getProofsCall, { params: { cid } }, options)
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

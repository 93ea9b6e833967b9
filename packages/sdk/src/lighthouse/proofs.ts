import { type CallResult, getDealStatus, getProof } from '@cairn/protocol'
import { call } from '../request.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

/**
 * Returns the deals of a CID; an empty list if there is none.
 * @throws CairnError INVALID_CID
 */
export async function dealStatus(cid: string): Promise<{ data: CallResult<typeof getDealStatus> }> {
  return { data: await withPeerText('request', call(clientOf(), getDealStatus, { query: { cid } })) }
}

/**
 * Returns the inclusion proof (PoDSI) of a CID.
 * @throws CairnError PROOF_NOT_FOUND until it is part of a deal, INVALID_CID; the message is the same, as in the published module
 */
export async function posdi(cid: string): Promise<{ data: CallResult<typeof getProof> }> {
  return { data: await withPeerText('proof', call(clientOf(), getProof, { query: { cid } })) }
}

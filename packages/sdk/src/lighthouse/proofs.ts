import { type CallResult, getDealStatus, getProof } from '@cairn/protocol'
import { call } from '../request.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

/** Deals of a CID; an empty list while there is none. @throws CairnError INVALID_CID */
export async function dealStatus(cid: string): Promise<{ data: CallResult<typeof getDealStatus> }> {
  return { data: await withPeerText('request', call(clientOf(), getDealStatus, { query: { cid } })) }
}

/** Inclusion proof (PoDSI) of a CID. @throws CairnError PROOF_NOT_FOUND while it lies in no deal yet, INVALID_CID */
export async function posdi(cid: string): Promise<{ data: CallResult<typeof getProof> }> {
  return { data: await call(clientOf(), getProof, { query: { cid } }) }
}

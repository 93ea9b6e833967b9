import { type CallResult, generateIpnsKey, getIpnsRecords, publishIpnsRecord, removeIpnsKey } from '@cairn/protocol'
import { call } from '../request.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

/**
 * Creates a name: `ipnsName` is the id of its key for the calls below, `ipnsId` the name itself (k51…).
 * @throws CairnError NAME_LIMIT
 */
export async function generateKey(apiKey: string): Promise<{ data: CallResult<typeof generateIpnsKey> }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), generateIpnsKey, {})) }
}

/**
 * Points a name to a CID.
 * @param key the `ipnsName` that `generateKey` returned
 * @throws CairnError INVALID_CID, IPNS_KEY_UNKNOWN
 */
export async function publishRecord(
  cid: string,
  key: string,
  apiKey: string,
): Promise<{ data: CallResult<typeof publishIpnsRecord> }> {
  return {
    data: await withPeerText('request', call(clientOf(apiKey), publishIpnsRecord, { query: { cid, keyName: key } })),
  }
}

/** Lists the names of the account; `cid` is empty for an unpublished name. */
export async function getAllKeys(apiKey: string): Promise<{ data: CallResult<typeof getIpnsRecords> }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), getIpnsRecords, {})) }
}

/**
 * Removes a name and its key by the id of the key.
 * @throws CairnError IPNS_KEY_UNKNOWN
 */
export async function removeKey(key: string, apiKey: string): Promise<{ data: CallResult<typeof removeIpnsKey> }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), removeIpnsKey, { query: { keyName: key } })) }
}

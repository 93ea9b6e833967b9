import { type CallResult, generateIpnsKey, getIpnsRecords, publishIpnsRecord, removeIpnsKey } from '@cairn/protocol'
import { call } from '../request.ts'
import { clientOf } from './client.ts'
import { withPeerText } from './peer-text.ts'

/** A new name: `ipnsName` is its key's id for the calls below, `ipnsId` the name itself (k51…). @throws CairnError NAME_LIMIT */
export async function generateKey(apiKey: string): Promise<{ data: CallResult<typeof generateIpnsKey> }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), generateIpnsKey, {})) }
}

/**
 * Lets a name point to a CID.
 * @param key the id that `generateKey` gave as `ipnsName`
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

/** The account's names; `cid` is empty where nothing was published. */
export async function getAllKeys(apiKey: string): Promise<{ data: CallResult<typeof getIpnsRecords> }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), getIpnsRecords, {})) }
}

/** Removes a name and its key by the key's id. @throws CairnError IPNS_KEY_UNKNOWN */
export async function removeKey(key: string, apiKey: string): Promise<{ data: CallResult<typeof removeIpnsKey> }> {
  return { data: await withPeerText('request', call(clientOf(apiKey), removeIpnsKey, { query: { keyName: key } })) }
}

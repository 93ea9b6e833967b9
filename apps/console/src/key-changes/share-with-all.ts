import { maxSharedAddressesPerCall } from '@cairn/protocol'
import { type ChangeOptions, type ChangeResult, type Client, shareFile } from '@cairn/sdk'

/**
 * Shares a file with any number of addresses, in several calls if necessary.
 * @returns the result of the call that missed the most nodes: each of them has to be repaired
 * @throws CairnError as `shareFile` does
 */
export async function shareWithAll(
  client: Client,
  cid: string,
  addresses: readonly string[],
  options: ChangeOptions,
): Promise<ChangeResult> {
  let worst: ChangeResult = { done: [], pending: [], isEffective: true, withstands: 0 }
  for (let at = 0; at < addresses.length; at += maxSharedAddressesPerCall) {
    const result = await shareFile(client, cid, addresses.slice(at, at + maxSharedAddressesPerCall), options)
    if (at === 0 || result.pending.length > worst.pending.length) worst = result
  }
  return worst
}

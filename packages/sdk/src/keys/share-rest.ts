import { maxSharedAddressesPerCall, shareKey } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes, describeChange } from './change-nodes.ts'

/**
 * Shares a newly saved key with the addresses that did not fit into one call.
 * @returns the outcome of saving and sharing together: a node applied all of it or is pending
 * @throws CairnError as `shareFile`
 */
export async function shareRest(
  client: Client,
  cid: string,
  saved: ChangeResult,
  rest: readonly string[],
  options: ChangeOptions,
): Promise<ChangeResult> {
  const { address } = sessionOf(client)
  let { done, pending } = saved
  for (let start = 0; start < rest.length; start += maxSharedAddressesPerCall) {
    const body = { address, cid, shareTo: rest.slice(start, start + maxSharedAddressesPerCall) }
    const shared = await changeNodes(
      client,
      (node) => callWithSession(client, shareKey, node, { params: { node: String(node) }, body }, options),
      options,
    )
    const known = pending
    done = done.filter((node) => shared.done.includes(node))
    pending = [...known, ...shared.pending.filter(({ node }) => !known.some((one) => one.node === node))]
  }
  return describeChange(done, pending)
}

import { sharedAddressesPerCallMost, shareKey } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession, sessionOf } from './call-with-session.ts'
import { type ChangeOptions, type ChangeResult, changeNodes, describeChange } from './change-nodes.ts'

/**
 * Shares a key that was just saved with the addresses that one call could not name.
 * @returns what became of saving and sharing together: a node has all of it or is pending
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
  for (let start = 0; start < rest.length; start += sharedAddressesPerCallMost) {
    const body = { address, cid, shareTo: rest.slice(start, start + sharedAddressesPerCallMost) }
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

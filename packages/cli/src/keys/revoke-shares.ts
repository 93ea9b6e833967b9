import { type ChangeResult, type Client, getKeyStatus, normalizeAddress, revokeAccess } from '@cairn/sdk'

/** Outcome of a request to stop sharing a file. */
export type Revocation = {
  change: ChangeResult
  revokedFrom: string[]
  /** The file was not shared with these: a mistyped address would leave its reader with access. */
  notShared: string[]
  /** What happened, in sentences. */
  sentence: string
  /** What the user should know or do next. */
  notes: string[]
}

/** Stops sharing a file with addresses, and distinguishes those that had access from others. */
export async function revokeShares(
  client: Client,
  cid: string,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Revocation> {
  const { agreed } = await getKeyStatus(client, cid, { signal })
  const shared = agreed?.sharedTo.map(normalizeAddress)
  const notShared = addresses.filter((address) => shared?.includes(normalizeAddress(address)) === false)
  const revokedFrom = addresses.filter((address) => !notShared.includes(address))
  // Also of addresses without access: a node that missed a change may still have them.
  const change = await revokeAccess(client, cid, addresses, { signal })
  const rest = shared?.filter((address) => !addresses.some((one) => normalizeAddress(one) === address)) ?? []
  return {
    change,
    revokedFrom,
    notShared,
    sentence: [
      ...(revokedFrom.length === 0 ? [] : [`Revoked the access of ${revokedFrom.join(', ')} to ${cid}.`]),
      ...(notShared.length === 0 ? [] : [`${cid} was not shared with ${notShared.join(', ')}.`]),
    ].join(' '),
    notes: [
      ...(notShared.length === 0 ? [] : [`It is still shared with ${rest.length === 0 ? 'no one' : rest.join(', ')}.`]),
      ...(agreed?.hasConditions === true
        ? [`Addresses that meet its conditions can still decrypt it: cairn conditions show ${cid}`]
        : []),
      ...(revokedFrom.length === 0
        ? []
        : ['These addresses may have kept the key. Run `cairn keys rotate` to encrypt the file with a new key.']),
    ],
  }
}

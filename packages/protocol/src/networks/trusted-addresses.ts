import * as v from 'valibot'
import type { NetworkProfile } from './network-profile.ts'

const schema = v.object({
  /** The key router, and the key nodes in order. */
  keys: v.array(v.string()),
  /** The payment contracts, each with the name and the id of its chain. */
  payments: v.array(v.string()),
})
const kinds = { keys: 'key nodes', payments: 'payment contracts' } as const

/** The addresses that receive the keys and payments of a network: another profile can have both sent elsewhere. */
export type TrustedAddresses = v.InferOutput<typeof schema>

/** Receivers of a network that are not among the known ones. */
export type AddressChange = { what: string; before: string; now: string }

/** Returns what receives keys and payments. */
export function trustedAddressesOf(profile: NetworkProfile): TrustedAddresses {
  const { keyRouter, keyNodes = [], chain, chains = [] } = profile
  const contracts = [...(chain === undefined ? [] : [chain]), ...chains].flatMap(
    ({ name, chainId, paymentContract }) =>
      paymentContract === undefined ? [] : [`${paymentContract.toLowerCase()} on ${name} (${chainId})`],
  )
  return {
    keys: [...(keyRouter === undefined ? [] : [`router ${keyRouter}`]), ...keyNodes.map((url, i) => `${i + 1} ${url}`)],
    payments: [...new Set(contracts)],
  }
}

/** Parses stored addresses; undefined if they are not of this form. */
export function parseTrustedAddresses(json: unknown): TrustedAddresses | undefined {
  const parsed = v.safeParse(schema, json)
  return parsed.success ? parsed.output : undefined
}

/**
 * Lists the addresses that are new compared with the known ones. Additions count: clients pay on the first chain of a profile,
 * and choose chains by name. A removed address is not a change, and neither is the first address of a kind.
 */
export function listAddressChanges(known: TrustedAddresses, now: TrustedAddresses): AddressChange[] {
  return (['keys', 'payments'] as const).flatMap((kind) => {
    const isChanged = known[kind].length > 0 && now[kind].some((one) => !known[kind].includes(one))
    return isChanged ? [{ what: kinds[kind], before: known[kind].join(', '), now: now[kind].join(', ') }] : []
  })
}

/** Returns the first ones with the kinds that they lack from the second. */
export function mergeTrustedAddresses(first: TrustedAddresses, second: TrustedAddresses): TrustedAddresses {
  const either = (kind: keyof TrustedAddresses) => (first[kind].length > 0 ? first[kind] : second[kind])
  return { keys: either('keys'), payments: either('payments') }
}

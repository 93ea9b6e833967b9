import * as v from 'valibot'
import type { NetworkProfile } from './network-profile.ts'

const schema = v.object({
  keyRouter: v.optional(v.string()),
  keyNodes: v.optional(v.array(v.string())),
  /** By chain id. */
  paymentContracts: v.record(v.string(), v.string()),
})

/** The addresses of a network that receive keys and payments: another profile can have both sent elsewhere. */
export type TrustedAddresses = v.InferOutput<typeof schema>

/** An address of a network that differs from the known one. */
export type AddressChange = { what: string; before: string; now: string }

/** Returns the addresses that receive keys and payments. */
export function trustedAddressesOf(profile: NetworkProfile): TrustedAddresses {
  const { keyRouter, keyNodes, chain, chains = chain === undefined ? [] : [chain] } = profile
  const contracts = chains.flatMap(({ chainId, paymentContract }) =>
    paymentContract === undefined ? [] : [[String(chainId), paymentContract] as const],
  )
  return {
    ...(keyRouter === undefined ? {} : { keyRouter }),
    ...(keyNodes === undefined ? {} : { keyNodes }),
    paymentContracts: Object.fromEntries(contracts),
  }
}

/** Parses stored addresses; undefined if they are not of this form. */
export function parseTrustedAddresses(json: unknown): TrustedAddresses | undefined {
  const parsed = v.safeParse(schema, json)
  return parsed.success ? parsed.output : undefined
}

/** Lists the addresses that are known and differ now. Those that are new or gone are no changes: nothing was sent there. */
export function listAddressChanges(known: TrustedAddresses, now: TrustedAddresses): AddressChange[] {
  const pairs: [what: string, before: string | undefined, now: string | undefined][] = [
    ['key router', known.keyRouter, now.keyRouter],
    ['key nodes', known.keyNodes?.join(' '), now.keyNodes?.join(' ')],
    ...Object.entries(known.paymentContracts).map(([chainId, before]): [string, string, string | undefined] => [
      `payment contract of chain ${chainId}`,
      before,
      now.paymentContracts[chainId],
    ]),
  ]
  return pairs.flatMap(([what, before, now]) => {
    const differs = before !== undefined && now !== undefined && before.toLowerCase() !== now.toLowerCase()
    return differs ? [{ what, before, now }] : []
  })
}

/** Adds addresses that were not known before. */
export function mergeTrustedAddresses(known: TrustedAddresses, now: TrustedAddresses): TrustedAddresses {
  return { ...now, ...known, paymentContracts: { ...now.paymentContracts, ...known.paymentContracts } }
}

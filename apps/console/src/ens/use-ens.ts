import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useNetwork } from '../network/use-network.ts'
import { loadCode } from '../parts/load-code.ts'

const mainnet = 1
const staleMs = 5 * 60_000

/** The endpoint that names are read from: that of Ethereum, if the network profile has one, or of the first chain. */
function useEnsUrl(): string | undefined {
  const { chain, chains = chain === undefined ? [] : [chain] } = useNetwork()
  return (chains.find(({ chainId }) => chainId === mainnet) ?? chains[0])?.rpcUrl
}

/** Returns the name that an address chose for itself; undefined without one, and until it is known. */
export function useEnsName(address: string): string | undefined {
  const rpcUrl = useEnsUrl()
  const { data } = useQuery({
    queryKey: ['network', 'ens-name', rpcUrl, address],
    queryFn: async () => {
      const { findEnsName } = await loadCode(import('./ens.ts'))
      return (await findEnsName(rpcUrl ?? '', address)) ?? null
    },
    enabled: rpcUrl !== undefined,
    staleTime: staleMs,
  })
  return data ?? undefined
}

/** A name with its address; undefined if it has none, `null` until it is known. */
export type EnsAnswer = { name: string; address: string | undefined | null }

/** Looks up the words that may be names. */
export function useEnsAddresses(words: readonly string[]): readonly EnsAnswer[] {
  const rpcUrl = useEnsUrl()
  const names = rpcUrl === undefined ? [] : words.filter((word) => /^[^\s.]+(?:\.[^\s.]+)+$/.test(word))
  const results = useQueries({
    queries: names.map((name) => ({
      queryKey: ['network', 'ens-address', rpcUrl, name.toLowerCase()],
      queryFn: async () => {
        const { findEnsAddress, isEnsName } = await loadCode(import('./ens.ts'))
        const wanted = name.toLowerCase()
        return (isEnsName(wanted) ? await findEnsAddress(rpcUrl ?? '', wanted) : undefined) ?? null
      },
      staleTime: staleMs,
    })),
  })
  const answers = names.map((name, at): EnsAnswer => {
    const address = results[at]?.data
    return { name, address: address === undefined ? null : (address ?? undefined) }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal answers are the same list.
  return useMemo(() => answers, [JSON.stringify(answers)])
}

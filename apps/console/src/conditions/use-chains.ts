import { chainFamilies, documentedChains, familyOf, getKeyNode } from '@cairn/protocol'
import { call, createClient } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/use-network.ts'
import type { DraftChainType } from './condition-parts.ts'

/** Names of the chains that conditions may use, and whether the key nodes read any of that kind. */
export type KnownChains = { names: readonly string[]; isRead: boolean }

const documentedOf = (chainType: DraftChainType) => documentedChains[familyOf(chainType) ?? 'evm'].names

/** Returns the chains of a kind, as the first key node that answers names them. */
export function useChains(chainType: DraftChainType): KnownChains {
  const network = useNetwork()
  const { data } = useQuery({
    queryKey: ['network', 'chains'],
    queryFn: ({ signal }) =>
      Promise.any(
        (network.keyNodes ?? []).map(async (api, i) => {
          // Calls the node directly.
          const client = createClient({ network: { ...network, api } })
          return (await call(client, getKeyNode, { params: { node: String(i + 1) } }, { signal })).chains
        }),
      ),
    staleTime: 300_000,
  })
  const others = chainFamilies.flatMap((family) => documentedChains[family].names).map((name) => name.toLowerCase())
  const own = documentedOf(chainType).map((name) => name.toLowerCase())
  const names = (data ?? []).filter((name) =>
    chainType === 'EVM' ? !others.includes(name.toLowerCase()) : own.includes(name.toLowerCase()),
  )
  if (names.length > 0) return { names, isRead: true }
  return { names: documentedOf(chainType), isRead: data === undefined }
}

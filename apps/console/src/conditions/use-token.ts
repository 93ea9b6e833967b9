import { isEvmAddress } from '@cairn/protocol'
import { useQuery } from '@tanstack/react-query'
import { createClient, erc20Abi, http } from 'viem'
import { readContract } from 'viem/actions'
import { useNetwork } from '../network/use-network.ts'

/** Metadata that a token's contract states. */
export type TokenFacts = { name: string; symbol: string; decimals: number }

/** Reads name, symbol and decimals of a token from its chain, if the network profile has an endpoint for it. */
export function useToken(chainName: string, address: string): TokenFacts | undefined {
  const network = useNetwork()
  const chains = network.chains ?? (network.chain === undefined ? [] : [network.chain])
  const rpcUrl = chains.find(({ name }) => name.toLowerCase() === chainName.trim().toLowerCase())?.rpcUrl
  const { data } = useQuery({
    queryKey: ['network', 'token', rpcUrl, address.toLowerCase()],
    queryFn: async (): Promise<TokenFacts | null> => {
      if (rpcUrl === undefined || !isEvmAddress(address)) return null
      const client = createClient({ ccipRead: false, transport: http(rpcUrl, { retryCount: 0, timeout: 8_000 }) })
      const ask = { address, abi: erc20Abi } as const
      const [name, symbol, decimals] = await Promise.all([
        readContract(client, { ...ask, functionName: 'name' }),
        readContract(client, { ...ask, functionName: 'symbol' }),
        readContract(client, { ...ask, functionName: 'decimals' }),
      ])
      return { name: name.slice(0, 60), symbol: symbol.slice(0, 20), decimals }
    },
    enabled: rpcUrl !== undefined && isEvmAddress(address),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data ?? undefined
}

import { type ChainProfile, isEvmAddress } from '@cairn/protocol'
import { useQuery } from '@tanstack/react-query'
import { createClient, http } from 'viem'
import { getBalance } from 'viem/actions'

/** The balance of an address in the native coin of a chain, in smallest units, from the network's endpoint of the chain. */
export function useBalance(chain: ChainProfile | undefined, address: string) {
  return useQuery({
    queryKey: ['balance', chain?.rpcUrl, address],
    queryFn: async () => {
      if (chain === undefined || !isEvmAddress(address)) return undefined
      const client = createClient({ ccipRead: false, transport: http(chain.rpcUrl, { retryCount: 0, timeout: 8_000 }) })
      return getBalance(client, { address })
    },
    enabled: chain !== undefined && isEvmAddress(address),
  })
}

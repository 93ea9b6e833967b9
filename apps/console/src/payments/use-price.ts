import { type Coin, getPrice } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient } from '../session/use-client.ts'

/** A price in a chain's own coin is held for ten minutes; it is asked again well before. */
const priceFreshMs = 60_000

/** What so many bytes cost in a coin, to the smallest unit: what is shown is what is paid. */
export function usePrice(sizeBytes: number | undefined, network: string, coin: Coin) {
  const client = useClient()
  return useQuery({
    queryKey: ['price', network, coin, sizeBytes],
    queryFn: ({ signal }) => getPrice(client, sizeBytes ?? 0, { network, coin }, { signal }),
    enabled: sizeBytes !== undefined,
    staleTime: priceFreshMs,
    refetchInterval: priceFreshMs,
    placeholderData: keepPreviousData,
  })
}

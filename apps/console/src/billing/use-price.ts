import { type Coin, getPrice } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useClient } from '../session/use-client.ts'

/** A price in the native coin is valid for ten minutes; it is refetched well before. */
const priceFreshMs = 60_000

/** Returns the price of a size in a coin, to the smallest unit: the shown price is the paid price. */
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

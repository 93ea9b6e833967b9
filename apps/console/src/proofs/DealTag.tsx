import { getDealStatus } from '@cairn/protocol'
import { call } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { CircleHelp, Clock, ShieldCheck, Truck } from '#icons'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { Tag } from '../ui/values/Tag.tsx'

const waitingMs = 8_000

/** Progress of one file in a word, from the short list of its deals, without the proofs. */
export function DealTag({ cid }: { cid: string }) {
  const client = useClient()
  const { data, error } = useQuery({
    queryKey: ['deals', cid],
    queryFn: ({ signal }) => call(client, getDealStatus, { query: { cid } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.some(isProving) === true || state.error !== null ? false : waitingMs),
  })
  if (error !== null) return <Tag icon={CircleHelp}>{messages.proofs.states.unknown}</Tag>
  // As high as what follows, so that no row moves the others.
  if (data === undefined) return <Skeleton className="h-6 w-24" />
  const proving = countProviders(data.filter(isProving))
  const kept = countProviders(data.filter(({ dealStatus }) => dealStatus === 'Stored'))
  if (proving > 0) {
    return (
      <Tag tone="good" icon={ShieldCheck}>
        {messages.proofs.states.proven(proving)}
      </Tag>
    )
  }
  if (kept > 0) {
    return (
      <Tag tone="accent" icon={Truck}>
        {messages.proofs.states.dealt(kept)}
      </Tag>
    )
  }
  return <Tag icon={Clock}>{messages.proofs.states.waiting}</Tag>
}

type Row = { dealStatus: string; storageProvider: string }

function isProving({ dealStatus }: Row): boolean {
  return dealStatus === 'Active: Proving'
}

function countProviders(rows: readonly Row[]): number {
  return new Set(rows.map(({ storageProvider }) => storageProvider)).size
}

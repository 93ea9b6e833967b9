import { listChecks, type PossessionCheck, type StorageProofs } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Check, CircleX, type IconComponent, VolumeX } from '#icons'
import { takeFirst } from '../../network/take-first.ts'
import { useClient } from '../../session/use-client.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { ScrollBox } from '../../ui/ScrollBox.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { Tag } from '../../ui/Tag.tsx'
import { formatCount, formatDateTime } from '../../words/format.ts'
import { words } from '../../words/words.ts'

/** Challenges shown, of all pieces together. */
const rowsMost = 30
/** Pieces that are asked about. */
const piecesMost = 4
const looks: Record<PossessionCheck['outcome'], { tone: 'good' | 'warn' | 'bad'; icon: IconComponent }> = {
  proved: { tone: 'good', icon: Check },
  wrong: { tone: 'bad', icon: CircleX },
  silent: { tone: 'warn', icon: VolumeX },
}

/** What the service asked the providers of these pieces, and what came of it. */
export function ChallengeHistory({ pieces }: { pieces: StorageProofs['pieces'] }) {
  const client = useClient()
  const aggregates = [...new Set(pieces.flatMap(({ aggregate }) => (aggregate === null ? [] : [aggregate.piece])))]
  const names = new Map(
    pieces.flatMap(({ aggregate }) => (aggregate?.deals ?? []).map(({ id, provider }) => [id, provider.name] as const)),
  )
  const asked = aggregates.slice(0, piecesMost)
  // The proofs are followed by the page; each challenge that they count is one more to show here.
  const challenged = pieces
    .flatMap(({ aggregate }) => aggregate?.deals ?? [])
    .reduce((sum, { proofs, faults }) => sum + proofs + faults, 0)
  const { data, error, refetch } = useQuery({
    queryKey: ['checks', challenged, ...asked],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(asked.map((piece) => takeFirst(listChecks(client, piece, { signal }), rowsMost)))
      return found
        .flat()
        .toSorted((a, b) => b.askedAt - a.askedAt)
        .slice(0, rowsMost)
    },
    enabled: asked.length > 0,
    placeholderData: keepPreviousData,
  })
  return (
    <div>
      <h2 className="font-semibold">{words.proofs.history}</h2>
      <p className="mb-2 text-ink-soft text-sm">{words.proofs.historyHint}</p>
      {asked.length === 0 ? (
        <p className="text-ink-soft text-sm">{words.proofs.historyNone}</p>
      ) : data === undefined ? (
        error === null ? (
          <Skeleton className="h-24 w-full" />
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : data.length === 0 ? (
        <p className="text-ink-soft text-sm">{words.proofs.historyNone}</p>
      ) : (
        <ScrollBox label={words.proofs.history} className="overflow-x-auto rounded-lg border border-line bg-surface">
          <table className="w-full whitespace-nowrap text-left text-sm">
            <thead className="text-ink-soft">
              <tr>
                {[
                  words.proofs.historyWhen,
                  words.proofs.historyDeal,
                  words.proofs.historyOutcome,
                  words.proofs.historyLeaves,
                  words.proofs.historySource,
                ].map((title) => (
                  <th key={title} scope="col" className="px-4 py-2 font-medium">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map(({ id, askedAt, dealId, outcome, reason, leafCount, nonceSource }) => (
                <tr key={id} className="border-line border-t">
                  <td className="px-4 py-2 tabular">{formatDateTime(askedAt)}</td>
                  <td className="px-4 py-2">{names.get(dealId) ?? words.proofs.dealNumber(dealId)}</td>
                  <td className="px-4 py-2">
                    <Tag {...looks[outcome]}>{words.proofs.outcomes[outcome]}</Tag>
                    {reason === null ? undefined : <span className="ml-2 text-ink-soft">{reason}</span>}
                  </td>
                  <td className="px-4 py-2 tabular">{formatCount(leafCount)}</td>
                  <td className="max-w-60 truncate px-4 py-2 text-ink-soft" title={nonceSource}>
                    {nonceSource}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </div>
  )
}

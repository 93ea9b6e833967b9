import { listChecks, type PossessionCheck, parseNonceSource, type StorageProofs } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Check, CircleX, type IconComponent, VolumeX } from '#icons'
import { describeReason } from '../messages/describe-reason.ts'
import { formatCount, formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { collectFirst } from '../network/collect-first.ts'
import { useClient } from '../session/use-client.ts'
import { ScrollBox } from '../ui/ScrollBox.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { Tag } from '../ui/values/Tag.tsx'

/** Maximum number of challenges shown, of all pieces together. */
const maxRows = 30
/** Maximum number of pieces queried. */
const maxPieces = 4
const styles: Record<PossessionCheck['outcome'], { tone: 'good' | 'warn' | 'bad'; icon: IconComponent }> = {
  proved: { tone: 'good', icon: Check },
  wrong: { tone: 'bad', icon: CircleX },
  silent: { tone: 'warn', icon: VolumeX },
}

/** Challenges of the service to the providers of these pieces, with their results. */
export function ChallengeHistory({ pieces }: { pieces: StorageProofs['pieces'] }) {
  const client = useClient()
  const aggregates = [...new Set(pieces.flatMap(({ aggregate }) => (aggregate === null ? [] : [aggregate.piece])))]
  const names = new Map(
    pieces.flatMap(({ aggregate }) => (aggregate?.deals ?? []).map(({ id, provider }) => [id, provider.name] as const)),
  )
  const shownPieces = aggregates.slice(0, maxPieces)
  // The page polls the proofs; each additional challenge in their count refreshes this list.
  const challenged = pieces
    .flatMap(({ aggregate }) => aggregate?.deals ?? [])
    .reduce((sum, { proofs, faults }) => sum + proofs + faults, 0)
  const { data, error, refetch } = useQuery({
    queryKey: ['checks', challenged, ...shownPieces],
    queryFn: async ({ signal }) => {
      const found = await Promise.all(
        shownPieces.map((piece) => collectFirst(listChecks(client, piece, { signal }), maxRows)),
      )
      return found
        .flat()
        .toSorted((a, b) => b.askedAt - a.askedAt)
        .slice(0, maxRows)
    },
    enabled: shownPieces.length > 0,
    placeholderData: keepPreviousData,
  })
  return (
    <div>
      <h2 className="font-semibold">{messages.proofs.history}</h2>
      <p className="mb-2 text-ink-soft text-sm">{messages.proofs.historyHint}</p>
      {shownPieces.length === 0 ? (
        <p className="text-ink-soft text-sm">{messages.proofs.historyNone}</p>
      ) : data === undefined ? (
        <QueryPending query={{ error, refetch }} skeleton="h-24 w-full" />
      ) : data.length === 0 ? (
        <p className="text-ink-soft text-sm">{messages.proofs.historyNone}</p>
      ) : (
        <ScrollBox label={messages.proofs.history} className="overflow-x-auto rounded-lg border border-line bg-surface">
          <table className="w-full whitespace-nowrap text-left text-sm">
            <thead className="text-ink-soft">
              <tr>
                {[
                  messages.proofs.historyWhen,
                  messages.proofs.historyDeal,
                  messages.proofs.historyOutcome,
                  messages.proofs.historyLeaves,
                  messages.proofs.historySource,
                ].map((title) => (
                  <th key={title} scope="col" className="px-4 py-2 font-medium">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.map(({ id, askedAt, dealId, outcome, reason, reasonFacts, leafCount, nonceSource }) => (
                <tr key={id} className="border-line border-t">
                  <td className="px-4 py-2 tabular">{formatDateTime(askedAt)}</td>
                  <td className="px-4 py-2">{names.get(dealId) ?? messages.proofs.dealNumber(dealId)}</td>
                  <td className="px-4 py-2">
                    <Tag {...styles[outcome]}>{messages.proofs.outcomes[outcome]}</Tag>
                    {reason === null ? undefined : (
                      <span className="ml-2 text-ink-soft">{describeReason(reason, reasonFacts)}</span>
                    )}
                  </td>
                  <td className="px-4 py-2 tabular">{formatCount(leafCount)}</td>
                  <td className="max-w-60 truncate px-4 py-2 text-ink-soft" title={nonceSource}>
                    {describeNonce(nonceSource)}
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

/** Says where a nonce is from. The text of the service, from which anyone can verify it, is shown on hover. */
function describeNonce(nonceSource: string): string {
  const source = parseNonceSource(nonceSource)
  if (source.kind === 'block') return messages.proofs.nonceBlock(source.block, source.chainId)
  return source.kind === 'random' ? messages.proofs.nonceRandom : messages.proofs.nonceOther
}

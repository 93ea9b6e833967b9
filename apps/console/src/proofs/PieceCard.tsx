import type { StorageProofs } from '@cairn/sdk'
import { describeReason } from '../messages/describe-reason.ts'
import { factSeparator, formatAgo, formatDateTime, formatUntil } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { MerklePath } from './MerklePath.tsx'
import { PlaceBar } from './PlaceBar.tsx'

type Piece = StorageProofs['pieces'][number]
type Deal = NonNullable<Piece['aggregate']>['deals'][number]

const tones = {
  queued: 'plain',
  offered: 'plain',
  kept: 'accent',
  proving: 'good',
  faulted: 'warn',
  failed: 'bad',
  ended: 'plain',
} as const

/** One piece of the content: its position, the hashes that prove it, and its providers. */
export function PieceCard({ piece, title }: { piece: Piece; title: string }) {
  const { aggregate, block } = piece
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <h2 className="font-semibold">{title}</h2>
      <p className="mt-1 max-w-prose text-ink-soft text-sm">{messages.proofs.pathHint}</p>
      <div className="mt-5 grid gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,1fr)_auto]">
        <div className="flex min-w-0 flex-col gap-6">
          {aggregate === null ? (
            <p className="text-ink-soft text-sm">{messages.proofs.pathWaits}</p>
          ) : (
            <PlaceBar
              label={messages.proofs.pathPiece}
              within={messages.proofs.pathAggregate}
              code={<ShortCode text={aggregate.piece} label={messages.proofs.copyPiece} />}
              offset={aggregate.offset}
              size={piece.paddedBytes}
              whole={aggregate.paddedBytes}
            />
          )}
          {block === null ? undefined : (
            <PlaceBar
              label={messages.proofs.pathBlock}
              within={messages.proofs.pathPiece}
              code={<ShortCode text={piece.piece} label={messages.proofs.copyPiece} />}
              offset={block.offset}
              size={block.length}
              whole={piece.payloadBytes}
            />
          )}
          <div>
            <h3 className="mb-2 font-medium text-sm">{messages.proofs.providers}</h3>
            {aggregate === null || aggregate.deals.length === 0 ? (
              <p className="text-ink-soft text-sm">{messages.proofs.dealsNone}</p>
            ) : (
              <ul className="divide-y divide-line rounded-lg border border-line">
                {aggregate.deals.map((deal) => (
                  <DealRow key={deal.id} deal={deal} />
                ))}
              </ul>
            )}
          </div>
        </div>
        {aggregate === null ? undefined : <MerklePath path={aggregate.inclusion.subtree} />}
      </div>
    </section>
  )
}

function DealRow({
  deal: { provider, state, keptSince, provenAt, proofs, faults, nextCheckAt, silentSince, error, errorFacts },
}: {
  deal: Deal
}) {
  const facts = [
    ...(keptSince === null ? [] : [messages.proofs.dealSince(formatAgo(keptSince))]),
    ...(provenAt === null ? [] : [messages.proofs.dealProven(formatAgo(provenAt))]),
    ...(silentSince === null ? [] : [messages.proofs.dealSilent(formatAgo(silentSince))]),
    messages.proofs.dealProofs(proofs, faults),
    ...(nextCheckAt === null || state !== 'proving' ? [] : [messages.proofs.dealNext(formatUntil(nextCheckAt))]),
  ]
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 text-sm">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{provider.name}</p>
        <p className="text-ink-soft" title={provenAt === null ? undefined : formatDateTime(provenAt)}>
          {facts.join(factSeparator)}
        </p>
        {error === null ? undefined : <p className="text-bad">{describeReason(error, errorFacts)}</p>}
        {provider.key === null ? undefined : <ShortCode text={provider.key} />}
      </div>
      <Tag tone={tones[state]}>{messages.proofs.dealStates[state]}</Tag>
    </li>
  )
}

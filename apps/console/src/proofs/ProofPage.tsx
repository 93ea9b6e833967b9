import { CairnError } from '@cairn/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft, SearchX } from '#icons'
import { nameOf, useFileInfo } from '../content/use-file-info.ts'
import { messages } from '../messages/messages.ts'
import { buttonClass } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { ScrollBox } from '../ui/ScrollBox.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'
import { StaleBanner } from '../ui/states/StaleBanner.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { ChallengeHistory } from './ChallengeHistory.tsx'
import { PieceCard } from './PieceCard.tsx'
import { Pipeline } from './Pipeline.tsx'
import { readPipeline } from './pipeline.ts'
import { useProofs } from './use-proofs.ts'
import { VerifyPanel } from './VerifyPanel.tsx'

/** Where one file is stored, its progress, and its proof, verified in this browser. Public: requires no account. */
export function ProofPage() {
  const { cid } = useParams({ from: '/proofs/$cid' })
  const { data, error, refetch } = useProofs(cid)
  const { data: info } = useFileInfo(cid)
  const isUnknown = CairnError.is(error, 'BLOCK_NOT_FOUND')
  return (
    <>
      <Link
        to="/proofs"
        className="mb-1 inline-flex min-h-7 w-fit items-center gap-1.5 text-ink-soft text-sm hover:text-ink"
      >
        <ArrowLeft aria-hidden="true" size={15} />
        {messages.proofs.back}
      </Link>
      <PageHeader
        title={info === undefined || info.fileName === '' ? messages.pages.proofs : messages.proofs.of(nameOf(info))}
        hint={<ShortCode text={cid} label={messages.proofs.copyCid} />}
      >
        {isUnknown ? undefined : (
          <Link to="/files/$cid" params={{ cid }} className={buttonClass()}>
            {messages.proofs.openFile}
          </Link>
        )}
      </PageHeader>
      {isUnknown && data === undefined ? (
        <EmptyState icon={SearchX} title={messages.proofs.unknownTitle} hint={messages.proofs.unknownHint} />
      ) : data === undefined ? (
        error === null ? (
          <Skeleton />
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : (
        <div className="flex flex-col gap-6">
          <StaleBanner error={error} />
          <Pipeline stages={readPipeline(data ?? undefined)} />
          {data === null ? (
            <section role="status" className="rounded-lg bg-sunken p-5">
              <h2 className="font-semibold">{messages.proofs.waitingTitle}</h2>
              <p className="mt-1 max-w-prose text-ink-soft text-sm">{messages.proofs.waitingHint}</p>
            </section>
          ) : (
            <>
              <VerifyPanel key={cid} cid={cid} />
              {data.waitingPacks > 0 ? (
                <p className="text-ink-soft text-sm">{messages.proofs.waitingPacks(data.waitingPacks)}</p>
              ) : undefined}
              {data.pieces.map((piece, index) => (
                <PieceCard
                  key={piece.piece}
                  piece={piece}
                  title={messages.proofs.pieceOf(index + 1, data.pieces.length + data.furtherPieces)}
                />
              ))}
              {data.furtherPieces > 0 ? (
                <p className="text-ink-soft text-sm">{messages.proofs.morePieces(data.furtherPieces)}</p>
              ) : undefined}
              <ChallengeHistory pieces={data.pieces} />
              <details className="rounded-lg border border-line bg-surface p-4">
                <summary className="cursor-pointer font-medium text-sm">{messages.proofs.raw}</summary>
                <div className="mt-2 flex items-center justify-between gap-2">
                  <p className="text-ink-soft text-sm">{messages.proofs.rawHint}</p>
                  <CopyButton text={JSON.stringify(data, undefined, 2)} label={messages.proofs.copyRaw} />
                </div>
                <ScrollBox label={messages.proofs.raw} className="max-h-96 overflow-auto rounded-md bg-sunken p-3">
                  <pre className="font-mono text-xs">{JSON.stringify(data, undefined, 2)}</pre>
                </ScrollBox>
              </details>
            </>
          )}
        </div>
      )}
    </>
  )
}

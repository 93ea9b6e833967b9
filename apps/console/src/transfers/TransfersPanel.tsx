import { useLayoutEffect, useRef, useState } from 'react'
import { ArrowUpDown, ChevronDown } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { ChooseButton } from './ChooseButton.tsx'
import { chooseAgain, isToChoose } from './choose-again.ts'
import { findNextStep } from './next-step.ts'
import { countTransfers, orderTransfers } from './overview.ts'
import {
  cancelAll,
  continueAll,
  isCancellable,
  isPausedByUser,
  isUnrepaired,
  pauseAll,
  repairAll,
} from './pause-all.ts'
import { TransferRow } from './TransferRow.tsx'
import { clearDone, isPausable, retryAllFailed, useTransfers } from './transfer-store.ts'

/** Maximum number of rows, because thousands would block the page for seconds. Running ones and those that need users come first. */
const maxRows = 200

/** All work in progress with its results, over any page. */
export function TransfersPanel({ onClose }: { onClose: () => void }) {
  const panel = useRef<HTMLElement>(null)
  useLayoutEffect(() => (panel.current === null ? undefined : reserveSpace(panel.current)), [])
  const transfers = useTransfers()
  const { running, queued, paused, failed, done, cancelled } = countTransfers(transfers)
  const isBusy = running + queued + paused + failed > 0
  const canRetry = transfers.some((one) => one.stage === 'failed' && findNextStep(one) === 'retry')
  const canPauseAll = transfers.filter(isPausable).length > 1
  const canContinueAll = transfers.filter(isPausedByUser).length > 1
  const cancellable = transfers.filter(isCancellable).length
  const [isCancelling, setCancelling] = useState(false)
  const canRepairAll = transfers.filter(isUnrepaired).length > 1
  const toChoose = transfers.filter(isToChoose)
  const canChooseAll = toChoose.length > 1
  const summary = [
    ...(running > 0 ? [messages.transfers.running(running)] : []),
    ...(queued > 0 ? [messages.transfers.queued(queued)] : []),
    ...(paused > 0 ? [messages.transfers.pausedCount(paused)] : []),
    ...(failed > 0 ? [messages.transfers.failed(failed)] : []),
    ...(!isBusy && done > 0 ? [messages.transfers.finished(done)] : []),
    ...(!isBusy && cancelled > 0 ? [messages.transfers.cancelledCount(cancelled)] : []),
  ].join(' · ')
  return (
    <section
      ref={panel}
      data-transfers
      aria-label={messages.transfers.title}
      className="print:hidden! fixed inset-x-2 bottom-[calc(4.5rem+env(safe-area-inset-bottom))] z-30 flex max-h-[60dvh] animate-rise flex-col rounded-lg border border-line bg-raised shadow-float sm:inset-x-auto sm:right-5 sm:w-md md:bottom-5"
    >
      <header className="flex items-center gap-2 border-line border-b py-2 pr-2 pl-4">
        <h2 className="flex-1 font-semibold text-sm">
          {messages.transfers.title}
          {summary === '' ? '' : <span className="ml-2 font-normal text-ink-soft">{summary}</span>}
        </h2>
        <IconButton icon={ChevronDown} size="small" label={messages.transfers.collapse} onClick={onClose} />
      </header>
      {transfers.length === 0 ? (
        <div className="flex flex-col items-center gap-1 px-6 py-10 text-center">
          <ArrowUpDown aria-hidden="true" size={22} className="mb-2 text-ink-faint" />
          <p className="font-medium text-sm">{messages.transfers.empty}</p>
          <p className="text-ink-soft text-sm">{messages.transfers.emptyHint}</p>
        </div>
      ) : (
        <ul aria-label={messages.transfers.list} className="min-h-0 flex-1 divide-y divide-line overflow-y-auto">
          {orderTransfers(transfers)
            .slice(0, maxRows)
            .map((transfer) => (
              <TransferRow key={transfer.id} transfer={transfer} />
            ))}
          {transfers.length > maxRows ? (
            <li className="px-4 py-2.5 text-ink-soft text-sm">{messages.files.andMore(transfers.length - maxRows)}</li>
          ) : undefined}
        </ul>
      )}
      {canChooseAll ||
      canRetry ||
      canPauseAll ||
      canContinueAll ||
      canRepairAll ||
      cancellable > 1 ||
      done + cancelled > 0 ? (
        <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-3 py-2">
          {canRepairAll ? (
            <Button size="small" onClick={() => void repairAll(transfers)}>
              {messages.transfers.repairAll}
            </Button>
          ) : undefined}
          {canChooseAll && toChoose.some(({ need }) => need === 'file') ? (
            <ChooseButton
              label={messages.transfers.chooseFiles}
              kind="files"
              name="*"
              onChoose={(files) => void chooseAgain(transfers, files)}
            />
          ) : undefined}
          {canChooseAll ? (
            <ChooseButton
              label={messages.transfers.chooseFolder}
              kind="folder"
              name="*/"
              onChoose={(files) => void chooseAgain(transfers, files)}
            />
          ) : undefined}
          {canContinueAll ? (
            <Button size="small" onClick={() => continueAll(transfers)}>
              {messages.transfers.continueAll}
            </Button>
          ) : undefined}
          {canPauseAll ? (
            <Button size="small" onClick={() => pauseAll(transfers)}>
              {messages.transfers.pauseAll}
            </Button>
          ) : undefined}
          {cancellable > 1 ? (
            <Button size="small" onClick={() => setCancelling(true)}>
              {messages.transfers.cancelAll}
            </Button>
          ) : undefined}
          {canRetry ? (
            <Button size="small" onClick={retryAllFailed}>
              {messages.transfers.retryAll}
            </Button>
          ) : undefined}
          {done + cancelled > 0 ? (
            <Button
              size="small"
              kind="quiet"
              onClick={() => {
                clearDone()
                // An empty panel would only cover the page.
                if (!isBusy) onClose()
              }}
            >
              {messages.transfers.clearDone}
            </Button>
          ) : undefined}
        </footer>
      ) : undefined}
      {/* Those that finish meanwhile are no longer asked about, and the last one closes the question. */}
      <Confirm
        isOpen={isCancelling && cancellable > 0}
        onClose={() => setCancelling(false)}
        title={messages.transfers.cancelAllTitle(cancellable)}
        hint={messages.transfers.cancelAllHint}
        confirmLabel={messages.transfers.cancelAll}
        dismissLabel={messages.transfers.keepAll}
        onConfirm={() => {
          setCancelling(false)
          cancelAll(transfers)
        }}
      />
    </section>
  )
}

/**
 * Passes the height of the panel to the styles of the page, which adds as much space at its end, so that all of it can be
 * scrolled into view.
 */
function reserveSpace(panel: HTMLElement): () => void {
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => style.setProperty('--transfers-height', `${panel.offsetHeight}px`))
  observer.observe(panel)
  return () => {
    observer.disconnect()
    style.removeProperty('--transfers-height')
  }
}

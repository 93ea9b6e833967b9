import { ArrowUpDown } from '#icons'
import { messages } from '../messages/messages.ts'
import { overallProgress } from './overall-progress.ts'
import { showTransfers, useTransfersShown } from './panel-store.ts'
import { isActive, useTransfers } from './transfer-store.ts'

/** Opens the transfers panel; a ring shows the overall progress. */
export function TransfersButton() {
  const transfers = useTransfers()
  const isShown = useTransfersShown()
  const running = transfers.filter(isActive)
  const failed = transfers.filter(({ stage }) => stage === 'failed').length
  const label = messages.transfers.openWith(running.length, failed)
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-expanded={isShown}
      onClick={() => showTransfers(!isShown)}
      className="relative inline-grid size-10 shrink-0 place-items-center rounded-md text-ink-soft transition-colors hover:bg-hover hover:text-ink pointer-coarse:size-11"
    >
      <ArrowUpDown aria-hidden="true" size={18} strokeWidth={1.9} />
      {running.length > 0 ? <Ring value={overallProgress(running)} /> : undefined}
      {failed > 0 ? (
        <span
          aria-hidden="true"
          className="absolute top-1 right-1 size-2.5 rounded-full border-2 border-surface bg-bad"
        />
      ) : undefined}
    </button>
  )
}

function Ring({ value }: { value: number }) {
  const around = 2 * Math.PI * 17
  return (
    <svg viewBox="0 0 40 40" className="absolute inset-0 size-full text-accent" fill="none" aria-hidden="true">
      <circle cx="20" cy="20" r="17" stroke="currentColor" strokeOpacity="0.2" strokeWidth="2.5" />
      <circle
        cx="20"
        cy="20"
        r="17"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeDasharray={`${around * value} ${around}`}
        transform="rotate(-90 20 20)"
      />
    </svg>
  )
}

import { messages } from '../messages/messages.ts'
import type { Transfer } from '../transfers/transfer-store.ts'
import { classNames } from '../ui/class-names.ts'
import { Spinner } from '../ui/states/Spinner.tsx'

const dotClasses = {
  waiting: 'border-line-strong bg-transparent',
  running: 'animate-pulse border-accent bg-accent-soft',
  done: 'border-good bg-good forced-colors:bg-[CanvasText]',
  failed: 'border-bad bg-bad',
} as const

/** A change in progress: five dots for five nodes. A node counts as done only after it confirms. */
export function RunningChange({ transfer: { name, nodes = [] } }: { transfer: Transfer }) {
  const done = nodes.filter((state) => state === 'done').length
  return (
    <div role="status" className="flex items-start gap-3 rounded-lg border border-accent-line bg-accent-soft p-3">
      <Spinner />
      <div className="min-w-0 flex-1 text-sm">
        <p className="font-medium">{name}</p>
        <p className="my-1 flex items-center gap-1.5">
          {nodes.map((state, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a node is its number.
            <span key={i} aria-hidden="true" className={classNames('size-3 rounded-full border', dotClasses[state])} />
          ))}
          <span className="ml-1 text-ink-soft tabular">{messages.transfers.nodes(done, 5)}</span>
        </p>
        <p className="text-ink-soft">{messages.access.runningHint}</p>
      </div>
    </div>
  )
}

import type { ReactNode } from 'react'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'

/** Minimum width in percent that can be seen and clicked next to its neighbours. */
const minWidth = 1.2

/** Position of a part within a whole: a bar to scale, and the numbers. */
export function PlaceBar({
  label,
  within,
  code,
  offset,
  size,
  whole,
}: {
  label: string
  within: string
  code: ReactNode
  offset: number
  size: number
  whole: number
}) {
  const width = Math.min(100, Math.max(minWidth, (size / Math.max(1, whole)) * 100))
  const x = Math.min(100 - width, (offset / Math.max(1, whole)) * 100)
  return (
    <div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 text-sm">
        <p>
          <span className="font-medium">{label}</span>{' '}
          <span className="text-ink-soft tabular">
            {formatBytes(size)}, {messages.proofs.pathLies(formatBytes(offset), formatBytes(whole))}
          </span>
        </p>
        <span className="flex items-center gap-1 text-ink-soft">
          {within} {code}
        </span>
      </div>
      <svg width="100%" height="14" aria-hidden="true" className="mt-1 block rounded-sm bg-sunken">
        <rect x={`${x}%`} width={`${width}%`} height="14" rx="3" fill="var(--accent)" />
      </svg>
    </div>
  )
}

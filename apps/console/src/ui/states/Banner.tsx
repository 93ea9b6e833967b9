import type { ReactNode } from 'react'
import { Info, TriangleAlert } from '#icons'
import { classNames } from '../class-names.ts'

/** One line across the page with one action. */
export function Banner({
  tone = 'plain',
  children,
  action,
}: {
  tone?: 'plain' | 'warn'
  children: ReactNode
  action?: ReactNode
}) {
  const Icon = tone === 'warn' ? TriangleAlert : Info
  return (
    <div
      role="status"
      className={classNames(
        'print:hidden! flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-b px-4 py-2 text-sm sm:px-6',
        tone === 'warn' ? 'bg-warn-soft text-warn' : 'bg-accent-soft text-ink',
      )}
    >
      <Icon aria-hidden="true" size={16} className="shrink-0" />
      <p className="min-w-0 flex-1 basis-60">{children}</p>
      {action}
    </div>
  )
}

import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { setPageTitle } from '../browser/page-title.ts'
import { classNames } from './class-names.ts'

/** The header of a page: its heading, a sentence, and its actions. Also sets the title of the tab. */
export function PageHeader({
  title,
  hint,
  isBrief = false,
  children,
}: {
  title: string
  hint?: ReactNode
  /** Heading and sentence are short, so that wide actions fit next to them. */
  isBrief?: boolean
  children?: ReactNode
}) {
  useEffect(() => {
    setPageTitle(title)
  }, [title])
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-3 pb-4">
      <div className={classNames('min-w-0 flex-1', isBrief ? 'basis-32' : 'basis-56')}>
        <h1 className="font-semibold text-xl tracking-tight">
          <bdi>{title}</bdi>
        </h1>
        {hint === undefined ? undefined : <p className="mt-1 max-w-prose text-ink-soft">{hint}</p>}
      </div>
      {children}
    </header>
  )
}

import { Link } from '@tanstack/react-router'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { fileTabs } from './file-search.ts'

/**
 * Tabs that a private file does not have: its deals cannot be verified in public, and content published under a name is open to
 * everyone.
 */
const publicTabs: readonly string[] = ['proofs', 'names'] satisfies (typeof fileTabs)[number][]

/** The tabs of a file, each with its own address. */
export function FileTabs({
  cid,
  isPrivate,
  shown,
}: {
  cid: string
  isPrivate: boolean
  shown: (typeof fileTabs)[number]
}) {
  const tabs = isPrivate ? fileTabs.filter((tab) => !publicTabs.includes(tab)) : fileTabs
  return (
    <nav
      aria-label={messages.preview.tabs}
      className="-mx-1.5 mb-5 flex flex-wrap border-line border-b max-sm:justify-between sm:-mx-2.5 sm:gap-x-1"
    >
      {tabs.map((tab) => (
        <Link
          key={tab}
          to="/files/$cid"
          params={{ cid }}
          search={(before) => ({ ...before, tab: tab === 'preview' ? undefined : tab, share: undefined })}
          replace
          // Otherwise, the link without a tab would also be current on every other tab.
          activeOptions={{ explicitUndefined: true }}
          {...(tab === shown ? { 'aria-current': 'page' as const } : {})}
          className={classNames(
            '-mb-px inline-flex h-10 items-center border-b-2 px-1.5 font-medium text-sm transition-colors sm:px-2.5 pointer-coarse:h-11',
            tab === shown ? 'border-accent text-accent-ink' : 'border-transparent text-ink-soft hover:text-ink',
          )}
        >
          {messages.preview.tab[tab]}
        </Link>
      ))}
    </nav>
  )
}

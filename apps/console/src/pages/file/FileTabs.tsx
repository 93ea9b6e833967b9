import { Link } from '@tanstack/react-router'
import { fileTabs } from '../../files/file-search.ts'
import { classNames } from '../../ui/class-names.ts'
import { words } from '../../words/words.ts'

/** The parts of a file, each with an address of its own. */
export function FileTabs({ cid, shown }: { cid: string; shown: (typeof fileTabs)[number] }) {
  return (
    <nav
      aria-label={words.preview.tabs}
      className="-mx-1.5 mb-5 flex flex-wrap border-line border-b max-sm:justify-between sm:-mx-2.5 sm:gap-x-1"
    >
      {fileTabs.map((tab) => (
        <Link
          key={tab}
          to="/files/$cid"
          params={{ cid }}
          search={(before) => ({ ...before, tab: tab === 'preview' ? undefined : tab })}
          replace
          {...(tab === shown ? { 'aria-current': 'page' as const } : {})}
          className={classNames(
            '-mb-px inline-flex h-10 items-center border-b-2 px-1.5 font-medium text-sm transition-colors sm:px-2.5 pointer-coarse:h-11',
            tab === shown ? 'border-accent text-accent-ink' : 'border-transparent text-ink-soft hover:text-ink',
          )}
        >
          {words.preview.tab[tab]}
        </Link>
      ))}
    </nav>
  )
}

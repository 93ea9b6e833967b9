import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { drivePlaces } from '../files/files-search.ts'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'

/** The places of the drive, each with its own address, and the actions of the current one. */
export function Places({ children }: { children?: ReactNode }) {
  const { place, sort, order, view } = useSearch({ from: '/files' })
  return (
    // On a phone they wrap: a row that scrolls sideways hides the last ones.
    <div className="mb-3 flex items-end gap-3 border-line border-b">
      <nav
        aria-label={messages.drive.places}
        className="-mb-px -ml-1.5 flex min-w-0 flex-1 flex-wrap gap-x-1 sm:-ml-2.5"
      >
        {[undefined, ...drivePlaces].map((one) => (
          <Link
            key={one ?? 'drive'}
            to="/files"
            search={{ sort, order, view, place: one }}
            // Otherwise, the link without a place would also be current at every other place.
            activeOptions={{ explicitUndefined: true }}
            {...(one === place ? { 'aria-current': 'page' as const } : {})}
            className={classNames(
              'inline-flex h-10 shrink-0 items-center border-b-2 px-1.5 font-medium text-sm transition-colors sm:px-2.5 pointer-coarse:h-11',
              one === place ? 'border-accent text-accent-ink' : 'border-transparent text-ink-soft hover:text-ink',
            )}
          >
            {messages.drive.place[one ?? 'drive']}
          </Link>
        ))}
      </nav>
      {children}
    </div>
  )
}

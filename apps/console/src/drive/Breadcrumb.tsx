import { Link, useSearch } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { ChevronRight } from '#icons'
import { intoFolder } from '../files/FileLink.tsx'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { FileName } from '../ui/values/FileName.tsx'
import { isDraggingItems, readDragged } from './dragged.ts'
import type { Crumb } from './list-items.ts'

/** The way to the current folder. Items can be dropped on each folder of it. */
export function Breadcrumb({
  crumbs,
  onDrop,
}: {
  crumbs: readonly Crumb[]
  onDrop: (ids: readonly string[], folderId: string) => void
}) {
  const search = useSearch({ from: '/files' })
  const [over, setOver] = useState<string>()
  return (
    <nav aria-label={messages.drive.path} className="min-w-0 flex-1">
      <ol className="flex min-w-0 flex-wrap items-center text-sm">
        {crumbs.map(({ id, name }, at) => {
          const isLast = at === crumbs.length - 1
          return (
            <Fragment key={id}>
              {at === 0 ? undefined : <ChevronRight aria-hidden="true" size={14} className="shrink-0 text-ink-faint" />}
              <li className="min-w-0">
                {isLast ? (
                  <span aria-current="location" className="block truncate px-2 py-1.5 font-medium">
                    <FileName name={name} />
                  </span>
                ) : (
                  <Link
                    to="/files"
                    search={intoFolder(search, id)}
                    activeOptions={{ explicitUndefined: true }}
                    draggable={false}
                    onDragOver={(event) => {
                      if (!isDraggingItems(event)) return
                      event.preventDefault()
                      setOver(id)
                    }}
                    onDragLeave={() => setOver(undefined)}
                    onDrop={(event) => {
                      event.preventDefault()
                      setOver(undefined)
                      onDrop(readDragged(event.dataTransfer), id)
                    }}
                    className={classNames(
                      'block truncate rounded-sm px-2 py-1.5 text-ink-soft hover:bg-hover hover:text-ink pointer-coarse:py-3',
                      at === 0 && '-ml-2',
                      over === id && 'outline-2 outline-accent',
                    )}
                  >
                    <FileName name={name} />
                  </Link>
                )}
              </li>
            </Fragment>
          )
        })}
      </ol>
    </nav>
  )
}

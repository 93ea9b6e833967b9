import type { ReactNode } from 'react'
import { messages } from '../messages/messages.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Skeleton } from '../ui/states/Skeleton.tsx'

const widths = ['w-48', 'w-64', 'w-40', 'w-56', 'w-72', 'w-44', 'w-52', 'w-60']

/** The list before its first rows have loaded. */
export function FilesSkeleton({ places }: { places?: ReactNode }) {
  return (
    <>
      {/* As high as with the number of files. */}
      <PageHeader title={messages.pages.files} hint={'\u00a0'} />
      {places}
      <p role="status" className="sr-only">
        {messages.shell.loading}
      </p>
      <div className="mt-11 flex flex-col">
        {widths.map((width) => (
          <div key={width} className="flex h-13 items-center gap-4 border-line border-b px-3">
            <Skeleton className="size-5" />
            <Skeleton className={`h-4 max-w-[60%] ${width}`} />
            <Skeleton className="ml-auto h-4 w-16 max-sm:hidden" />
          </div>
        ))}
      </div>
    </>
  )
}

import type { ReactNode } from 'react'
import { PartError } from './PartError.tsx'
import { Skeleton } from './Skeleton.tsx'
import { StaleBanner } from './StaleBanner.tsx'

type Query = { error: Error | null; refetch: () => unknown }
/** The class of a placeholder, or an element for one with its own shape. */
type Placeholder = string | Exclude<ReactNode, string>

/** Shows a query without data: the placeholder while it loads, then the error and how to try again. */
export function QueryPending({ query: { error, refetch }, skeleton }: { query: Query; skeleton: Placeholder }) {
  if (error !== null) return <PartError error={error} onRetry={refetch} />
  return typeof skeleton === 'string' ? <Skeleton className={skeleton} /> : skeleton
}

/** Shows a query in each of its states. Data that cannot be refreshed stays, below a notice. */
export function QueryView<Data>({
  query,
  skeleton,
  empty,
  children,
}: {
  query: Query & { data: Data | undefined }
  skeleton: Placeholder
  /** Shown instead of an empty list. */
  empty?: ReactNode
  children: (data: Data) => ReactNode
}) {
  const { data, error } = query
  if (data === undefined) return <QueryPending query={query} skeleton={skeleton} />
  if (empty !== undefined && Array.isArray(data) && data.length === 0) return empty
  return (
    <>
      <StaleBanner error={error} />
      {children(data)}
    </>
  )
}

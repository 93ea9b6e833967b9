import { CairnError } from '@cairn/sdk'
import { FileQuestion } from '#icons'
import { messages } from '../messages/messages.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'

/** A CID that this service does not store is not an error: it may be stored elsewhere. */
export function UnknownFile({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  if (CairnError.is(error, 'NOT_FOUND')) {
    return (
      <EmptyState icon={FileQuestion} title={messages.preview.notFoundTitle} hint={messages.preview.notFoundHint} />
    )
  }
  return <ErrorState error={error} onRetry={onRetry} />
}

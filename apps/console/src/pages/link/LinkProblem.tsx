import { CairnError } from '@cairn/sdk'
import { Unlink } from '#icons'
import { messages } from '../../messages/messages.ts'
import { toCairnError } from '../../network/query-client.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'

/** Why a link does not open, in the words of a visitor; other errors with a retry. */
export function LinkProblem({ error, onRetry }: { error: unknown; onRetry: () => unknown }) {
  const texts = describe(error)
  if (texts === undefined)
    return <ErrorState isPage title={messages.linkPage.openFailed} error={error} onRetry={onRetry} />
  return (
    <div role="alert">
      <EmptyState isPage icon={Unlink} {...texts} />
    </div>
  )
}

function describe(error: unknown): { title: string; hint: string } | undefined {
  const { ended, notFound, notWhole, blocked } = messages.linkPage
  if (CairnError.is(error, 'GONE')) {
    const { reason } = error.details
    return reason === 'expired' || reason === 'used-up' || reason === 'revoked' ? ended[reason] : ended.unknown
  }
  const { code } = toCairnError(error)
  if (code === 'NOT_FOUND') return notFound
  if (code === 'ACCOUNT_BLOCKED') return blocked
  // The fragment is missing, cut, or belongs to another link.
  if (code === 'INVALID_REQUEST' || code === 'ACCESS_DENIED' || code === 'DECRYPTION_FAILED') return notWhole
  return undefined
}

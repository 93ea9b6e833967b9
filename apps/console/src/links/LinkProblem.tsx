import { CairnError } from '@cairn/sdk'
import { Unlink } from '#icons'
import { messages } from '../messages/messages.ts'
import { toCairnError } from '../network/query-client.ts'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'

/** The texts for a link that does not open. */
type ProblemTexts = Pick<typeof messages.linkPage, 'ended' | 'notFound' | 'notWhole' | 'blocked' | 'openFailed'>

/** Explains to a visitor why a link does not open. Other errors have a button to try again. */
export function LinkProblem({
  error,
  onRetry,
  texts = messages.linkPage,
  isPage = true,
}: {
  error: unknown
  onRetry: () => unknown
  texts?: ProblemTexts
  /** Whether it replaces the whole page: its title is the heading of the page. */
  isPage?: boolean
}) {
  const described = describe(error, texts)
  if (described === undefined)
    return <ErrorState isPage={isPage} title={texts.openFailed} error={error} onRetry={onRetry} />
  return (
    <div role="alert">
      <EmptyState isPage={isPage} icon={Unlink} {...described} />
    </div>
  )
}

function describe(error: unknown, texts: ProblemTexts): { title: string; hint: string } | undefined {
  const { notFound, notWhole, blocked } = texts
  const end = describeEnd(error, texts)
  if (end !== undefined) return end
  const { code } = toCairnError(error)
  if (code === 'NOT_FOUND') return notFound
  if (code === 'ACCOUNT_BLOCKED') return blocked
  // The fragment is missing, cut, or belongs to another link.
  if (code === 'INVALID_REQUEST' || code === 'ACCESS_DENIED' || code === 'DECRYPTION_FAILED') return notWhole
  return undefined
}

/** Returns why a link has ended; undefined for other errors. */
export function describeEnd(
  error: unknown,
  { ended }: Pick<ProblemTexts, 'ended'>,
): { title: string; hint: string } | undefined {
  if (!CairnError.is(error, 'GONE')) return undefined
  const { reason } = error.details
  return reason === 'expired' || reason === 'used-up' || reason === 'revoked' ? ended[reason] : ended.unknown
}

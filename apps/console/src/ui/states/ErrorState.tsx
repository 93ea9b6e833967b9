import type { ReactNode } from 'react'
import { CircleAlert } from '#icons'
import { describeError } from '../../messages/describe-error.ts'
import { joinSentences } from '../../messages/format.ts'
import { messages } from '../../messages/messages.ts'
import { toCairnError } from '../../network/query-client.ts'
import { isBareOutage, useServiceOffline } from '../../network/service-offline.ts'
import { Button } from '../Button.tsx'
import { CopyButton } from '../values/CopyButton.tsx'

/** Shows an error with its cause, what to do, its code, and a retry button. */
export function ErrorState({
  error,
  title = messages.shell.errorTitle,
  hint,
  onRetry,
  isPage = false,
  children,
}: {
  error: unknown
  title?: string
  hint?: string
  onRetry?: () => unknown
  /** Replaces the whole page: its title is the heading of the page. */
  isPage?: boolean
  children?: ReactNode
}) {
  const cairnError = toCairnError(error)
  const { code, requestId } = cairnError
  const { message, hint: ownHint } = describeError(error)
  const isBare = isBareOutage(cairnError)
  const isOffline = useServiceOffline()
  // The shell reports it once for the whole page.
  if (isOffline && isBare && !isPage) return <NotLoaded onRetry={onRetry} />
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div role="alert" className="mx-auto flex max-w-md animate-rise flex-col items-center gap-3 px-4 py-12 text-center">
      <CircleAlert aria-hidden="true" className="text-bad" size={28} strokeWidth={1.75} />
      <Heading className="font-semibold text-lg">{title}</Heading>
      <p className="text-ink-soft">
        {isBare && code === 'NETWORK_ERROR' && hint === undefined
          ? messages.shell.unreachable
          : joinSentences(message, hint ?? ownHint)}
      </p>
      <p className="flex items-center gap-1 text-ink-faint text-sm">
        {messages.shell.errorCode(code)}
        {requestId === undefined ? '' : ` · ${messages.shell.errorRequest(requestId)}`}
        <CopyButton text={JSON.stringify(cairnError)} size="small" />
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {onRetry === undefined ? undefined : <Button onClick={() => void onRetry()}>{messages.shell.retry}</Button>}
        {children}
      </div>
    </div>
  )
}

/** Shown instead of an error that is shown elsewhere on the page. */
export function NotLoaded({ onRetry }: { onRetry: (() => unknown) | undefined }) {
  return (
    <p className="flex flex-wrap items-center justify-center gap-3 px-4 py-4 text-ink-soft text-sm">
      {messages.shell.notLoaded}
      {onRetry === undefined ? undefined : (
        <Button size="small" onClick={() => void onRetry()}>
          {messages.shell.retry}
        </Button>
      )}
    </p>
  )
}

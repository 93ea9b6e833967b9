import type { ReactNode } from 'react'
import { CircleAlert } from '#icons'
import { toCairnError } from '../network/query-client.ts'
import { joinSentences } from '../words/format.ts'
import { words } from '../words/words.ts'
import { Button } from './Button.tsx'
import { CopyButton } from './CopyButton.tsx'

/** What went wrong, with its cause, what to do, its code, and another try. */
export function ErrorState({
  error,
  title = words.shell.errorTitle,
  hint,
  onRetry,
  isPage = false,
  children,
}: {
  error: unknown
  title?: string
  hint?: string
  onRetry?: () => unknown
  /** It stands for the whole page: its title is the page's heading. */
  isPage?: boolean
  children?: ReactNode
}) {
  const { message, code, hint: ownHint, requestId } = toCairnError(error)
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div role="alert" className="mx-auto flex max-w-md animate-rise flex-col items-center gap-3 px-4 py-12 text-center">
      <CircleAlert aria-hidden="true" className="text-bad" size={28} strokeWidth={1.75} />
      <Heading className="font-semibold text-lg">{title}</Heading>
      <p className="text-ink-soft">{joinSentences(message, hint ?? ownHint)}</p>
      <p className="flex items-center gap-1 text-ink-faint text-sm">
        {words.shell.errorCode(code)}
        {requestId === undefined ? '' : ` · ${words.shell.errorRequest(requestId)}`}
        <CopyButton text={JSON.stringify(toCairnError(error))} size="small" />
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {onRetry === undefined ? undefined : <Button onClick={() => void onRetry()}>{words.shell.retry}</Button>}
        {children}
      </div>
    </div>
  )
}

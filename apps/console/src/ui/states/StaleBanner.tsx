import { messages } from '../../messages/messages.ts'
import { Button } from '../Button.tsx'
import { Banner } from './Banner.tsx'

/** States that a page shows old data because it could not be refreshed. Renders nothing without an error. */
export function StaleBanner({ error, onRetry }: { error: Error | null; onRetry?: () => unknown }) {
  if (error === null) return undefined
  const retry =
    onRetry === undefined ? undefined : (
      <Button size="small" onClick={() => void onRetry()}>
        {messages.shell.retry}
      </Button>
    )
  return (
    <Banner tone="warn" action={retry}>
      {messages.shell.errorOld}
    </Banner>
  )
}

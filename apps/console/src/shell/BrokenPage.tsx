import { CairnError } from '@cairn/sdk'
import { useRouter } from '@tanstack/react-router'
import { messages } from '../messages/messages.ts'
import { PartNotLoaded } from '../parts/load-part.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'

/** A page that crashed or was not loaded: the rest of the console continues. */
export function BrokenPage({ error }: { error: unknown }) {
  const router = useRouter()
  if (error instanceof PartNotLoaded) {
    return (
      <ErrorState
        isPage
        error={new CairnError('NETWORK_ERROR', { cause: error })}
        title={messages.shell.pageNotLoaded}
        onRetry={() => router.invalidate()}
      />
    )
  }
  return (
    <ErrorState isPage error={error} title={messages.shell.brokenTitle} hint={messages.shell.brokenHint}>
      <Button onClick={() => location.reload()}>{messages.shell.reload}</Button>
    </ErrorState>
  )
}

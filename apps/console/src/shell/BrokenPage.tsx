import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'

/** A page that crashed: the rest of the console continues. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <ErrorState isPage error={error} title={messages.shell.brokenTitle} hint={messages.shell.brokenHint}>
      <Button onClick={() => location.reload()}>{messages.shell.reload}</Button>
    </ErrorState>
  )
}

import { Link } from '@tanstack/react-router'
import { Compass } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'

/** A page that crashed: the rest of the console continues. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <ErrorState isPage error={error} title={messages.shell.brokenTitle} hint={messages.shell.brokenHint}>
      <Button onClick={() => location.reload()}>{messages.shell.reload}</Button>
    </ErrorState>
  )
}

/** An unknown address. */
export function NotFoundPage() {
  return (
    <EmptyState isPage icon={Compass} title={messages.shell.notFoundTitle} hint={messages.shell.notFoundHint}>
      <Link to="/files" className={buttonClass('primary')}>
        {messages.shell.goHome}
      </Link>
    </EmptyState>
  )
}

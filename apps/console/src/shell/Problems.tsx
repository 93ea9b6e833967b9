import { Link } from '@tanstack/react-router'
import { Compass } from '#icons'
import { Button, buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { words } from '../words/words.ts'

/** A page that broke: the rest of the console goes on. */
export function BrokenPage({ error }: { error: unknown }) {
  return (
    <ErrorState isPage error={error} title={words.shell.brokenTitle} hint={words.shell.brokenHint}>
      <Button onClick={() => location.reload()}>{words.shell.reload}</Button>
    </ErrorState>
  )
}

/** An address that leads nowhere. */
export function NotFoundPage() {
  return (
    <EmptyState isPage icon={Compass} title={words.shell.notFoundTitle} hint={words.shell.notFoundHint}>
      <Link to="/files" className={buttonClass('primary')}>
        {words.shell.goHome}
      </Link>
    </EmptyState>
  )
}

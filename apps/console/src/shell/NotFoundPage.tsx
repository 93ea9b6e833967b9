import { Link } from '@tanstack/react-router'
import { Compass } from '#icons'
import { messages } from '../messages/messages.ts'
import { buttonClass } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'

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

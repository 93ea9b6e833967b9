import { type ReactNode, use, useEffect } from 'react'
import { LockKeyhole } from '#icons'
import { setPageTitle } from '../browser/page-title.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { HasWallet, useSignInLabel } from '../wallet/use-sign-in-label.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { type Session, useSessionState } from './session-store.ts'

/** Shows its content to signed-in users. Others can sign in here, and stay on the page. */
export function SignInGate({
  children,
  isQuiet = false,
  title,
}: {
  children: (session: Session) => ReactNode
  /** Shows nothing instead of a sign-in prompt, because another part of the page has one. */
  isQuiet?: boolean
  /** The title of the tab, as long as the content cannot set its own. */
  title?: string | undefined
}) {
  const { session, isReady } = useSessionState()
  const label = useSignInLabel()
  const isKnown = use(HasWallet)
  const isShut = session === undefined
  useEffect(() => {
    if (isShut && title !== undefined) setPageTitle(title)
  }, [isShut, title])
  if (session !== undefined) return children(session)
  if (!isReady || isQuiet) return undefined
  return (
    <EmptyState
      isPage
      icon={LockKeyhole}
      title={messages.session.gateTitle}
      hint={isKnown ? messages.session.gateHintKnown : messages.session.gateHint}
    >
      <Button kind="primary" onClick={openWalletDialog}>
        {label}
      </Button>
    </EmptyState>
  )
}

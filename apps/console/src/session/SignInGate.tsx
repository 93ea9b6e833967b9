import type { ReactNode } from 'react'
import { LockKeyhole } from '#icons'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { words } from '../words/words.ts'
import { type Session, useSessionState } from './session-store.ts'

/** Shows its content to who is signed in; others are asked to sign in, and are right here afterwards. */
export function SignInGate({
  children,
  isQuiet = false,
}: {
  children: (session: Session) => ReactNode
  /** Shows nothing in place of asking: something else on the page does. */
  isQuiet?: boolean
}) {
  const { session, isReady } = useSessionState()
  if (session !== undefined) return children(session)
  if (!isReady || isQuiet) return undefined
  return (
    <EmptyState isPage icon={LockKeyhole} title={words.session.gateTitle} hint={words.session.gateHint}>
      <Button kind="primary" onClick={openWalletDialog}>
        {words.session.connect}
      </Button>
    </EmptyState>
  )
}

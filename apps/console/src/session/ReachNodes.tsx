import { lackingNodes } from '@cairn/sdk'
import { Suspense, useState } from 'react'
import { KeyRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { Button } from '../ui/Button.tsx'
import { useSession } from './session-store.ts'

const SignInAgainDialog = lazyPart(async () => (await import('./SignInAgainDialog.tsx')).SignInAgainDialog, 'toast')

/** Returns the key nodes that the session of the user lacks; none without a session. */
export function useLackingNodes(): readonly number[] {
  const keySession = useSession()?.keySession
  return keySession === undefined ? [] : lackingNodes(keySession)
}

/**
 * Offers to sign in at the key nodes that the session lacks, where users notice that they are missing. Renders nothing if it
 * lacks none.
 */
export function ReachNodes({
  isExplained = false,
  onReached,
}: {
  /** Names the nodes, where nothing else does. */
  isExplained?: boolean
  /** Called after the signature. */
  onReached?: () => unknown
}) {
  const nodes = useLackingNodes()
  const [isSigning, setSigning] = useState(false)
  // An open dialog closes itself: the session is complete a moment before.
  if (nodes.length === 0 && !isSigning) return undefined
  const button = (
    <Button size="small" onClick={() => setSigning(true)}>
      <KeyRound aria-hidden="true" size={16} />
      {messages.session.signInAgain}
    </Button>
  )
  return (
    <>
      {isExplained && nodes.length > 0 ? (
        <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-2 text-sm">
          <p className="text-ink-soft">{messages.session.lacking(nodes)}</p>
          {button}
        </div>
      ) : (
        button
      )}
      {isSigning ? (
        <Suspense>
          <SignInAgainDialog onClose={() => setSigning(false)} {...(onReached === undefined ? {} : { onReached })} />
        </Suspense>
      ) : undefined}
    </>
  )
}

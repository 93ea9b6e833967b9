import { type KeySession, lackingNodes } from '@cairn/sdk'
import { useState } from 'react'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Banner } from '../ui/states/Banner.tsx'
import { ReachNodes } from './ReachNodes.tsx'
import { useSession } from './session-store.ts'

/** Offers to sign in again at key nodes that no longer know the session, once for each loss. */
export function LackingNodesNotice() {
  const keySession = useSession()?.keySession
  const nodes = keySession === undefined ? [] : nodesWithoutSession(keySession)
  const [declined, setDeclined] = useState<readonly number[]>([])
  if (nodes.every((node) => declined.includes(node))) return undefined
  return (
    <Banner
      tone="warn"
      action={
        <span className="flex gap-2">
          <ReachNodes />
          <Button size="small" kind="quiet" onClick={() => setDeclined(nodes)}>
            {messages.signature.notNow}
          </Button>
        </span>
      }
    >
      {messages.signature.lost(nodes)}
    </Banner>
  )
}

/** The nodes that lost the session. Those that did not answer at sign-in may still be offline, and are not offered. */
function nodesWithoutSession({ nodes, failures = [] }: KeySession): number[] {
  return lackingNodes({ nodes }).filter((node) => {
    const failure = failures.find((one) => one.node === node)
    return failure === undefined || failure.code === 'SESSION_EXPIRED'
  })
}

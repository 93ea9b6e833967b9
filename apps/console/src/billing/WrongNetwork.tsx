import type { ChainProfile } from '@cairn/protocol'
import { useState } from 'react'
import { useConfig, useConnection } from 'wagmi'
import { switchChain } from 'wagmi/actions'
import { TriangleAlert } from '#icons'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'

/** Warns that the wallet is on another network, with a button to switch; empty on the right one. */
export function WrongNetwork({ chain: { chainId, name } }: { chain: ChainProfile }) {
  const config = useConfig()
  const { status, chainId: current } = useConnection()
  const [isSwitching, setSwitching] = useState(false)
  if (status !== 'connected' || current === chainId) return undefined
  const change = async () => {
    setSwitching(true)
    try {
      await switchChain(config, { chainId })
    } catch (error) {
      if (!isAborted(error)) toastError(messages.billing.switchFailed, error)
    } finally {
      setSwitching(false)
    }
  }
  return (
    <div role="status" className="flex flex-col items-start gap-3 rounded-lg bg-warn-soft p-3 text-sm text-warn">
      <p className="flex gap-2">
        <TriangleAlert aria-hidden="true" size={16} className="mt-0.5 shrink-0" />
        {messages.billing.wrongNetwork(name)}
      </p>
      <Button size="small" isBusy={isSwitching} onClick={() => void change()}>
        {messages.billing.switchTo(name)}
      </Button>
    </div>
  )
}

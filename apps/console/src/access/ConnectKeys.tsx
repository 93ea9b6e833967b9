import { useState } from 'react'
import type { IconComponent } from '#icons'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'

/** Before a key session exists: explains the request to the key nodes, and connects after a click. */
export function ConnectKeys({
  icon,
  title,
  hint,
  label,
}: {
  icon: IconComponent
  title: string
  hint: string
  label: string
}) {
  const needKeyClient = useKeyClient()
  const [isBusy, setBusy] = useState(false)
  const connect = async () => {
    setBusy(true)
    try {
      await needKeyClient()
    } catch (error) {
      if (!isAborted(error)) toastError(messages.session.connectFailed, error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <EmptyState icon={icon} title={title} hint={hint}>
      <Button kind="primary" isBusy={isBusy} onClick={() => void connect()}>
        {label}
      </Button>
    </EmptyState>
  )
}

import { useState } from 'react'
import type { IconComponent } from '#icons'
import { isAborted } from '../session/is-aborted.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { toastError } from '../ui/toast-store.ts'

/** Before the key nodes know the user: says what they are asked for, and asks after a press. */
export function AskKeys({
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
  const ask = async () => {
    setBusy(true)
    try {
      await needKeyClient()
    } catch (error) {
      if (!isAborted(error)) toastError(title, error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <EmptyState icon={icon} title={title} hint={hint}>
      <Button kind="primary" isBusy={isBusy} onClick={() => void ask()}>
        {label}
      </Button>
    </EmptyState>
  )
}

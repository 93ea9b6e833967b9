import { useState } from 'react'
import { useConfig } from 'wagmi'
import type { IconComponent } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { isCancellable } from '../transfers/pause-all.ts'
import { useTransfers } from '../transfers/transfer-store.ts'
import { Button, type ButtonProps } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { leaveAccount } from './sign-out.ts'

/** Signs out. If that cancels transfers, it asks first, as the browser does when the page is closed. */
export function LeaveButton({
  label,
  icon: Icon,
  onLeave,
  ...rest
}: Pick<ButtonProps, 'size' | 'className'> & { label: string; icon: IconComponent; onLeave?: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const count = useTransfers().filter(isCancellable).length
  const [isAsking, setAsking] = useState(false)
  const leave = () => {
    onLeave?.()
    void leaveAccount(config, network)
  }
  return (
    <>
      <Button {...rest} onClick={() => (count > 0 ? setAsking(true) : leave())}>
        <Icon aria-hidden="true" size={16} />
        {label}
      </Button>
      <Confirm
        isOpen={isAsking && count > 0}
        onClose={() => setAsking(false)}
        title={messages.transfers.cancelAllTitle(count)}
        hint={messages.transfers.cancelAllHint}
        confirmLabel={label}
        dismissLabel={messages.transfers.keepAll}
        onConfirm={leave}
      />
    </>
  )
}

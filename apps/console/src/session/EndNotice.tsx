import { shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Banner } from '../ui/states/Banner.tsx'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { useWalletAddress } from './connected-wallet.ts'
import { type EndReason, useSessionState } from './session-store.ts'

/** Shows why the session has ended, unless the user ended it. */
export function EndNotice() {
  const { endReason } = useSessionState()
  const text = describeEnd(endReason, useWalletAddress())
  if (text === undefined) return undefined
  return (
    <Banner
      action={
        endReason === 'wallet-left' ? undefined : (
          <Button size="small" onClick={openWalletDialog}>
            {messages.session.signIn}
          </Button>
        )
      }
    >
      {text}
    </Banner>
  )
}

function describeEnd(reason: EndReason | undefined, address: string | undefined): string | undefined {
  if (reason === 'account-changed' && address !== undefined) return messages.session.otherAccount(shorten(address))
  if (reason === 'wallet-left') return messages.session.sessionEnded
  if (reason === 'expired') return messages.session.sessionOver
  return reason === 'revoked' ? messages.session.sessionRevoked : undefined
}

import { Wallet } from '#icons'
import { shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { useSignInLabel } from '../wallet/use-sign-in-label.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'

/** The signed-in account in the top bar; or sign-in. */
export function WalletChip() {
  const session = useSession()
  const label = useSignInLabel()
  if (session === undefined) {
    return (
      <Button kind="primary" onClick={openWalletDialog}>
        <Wallet aria-hidden="true" size={16} />
        <span className="max-sm:sr-only">{label}</span>
      </Button>
    )
  }
  return (
    <Button title={session.address} onClick={openWalletDialog} className="max-sm:px-3">
      <span className="sr-only">{messages.session.accountOf(session.address)}</span>
      <AccountMark address={session.address} />
      <span aria-hidden="true" className="font-mono max-lg:hidden">
        {shorten(session.address, 6, 4)}
      </span>
    </Button>
  )
}

/** A small picture that differs by address; the address itself is next to it or in its title. */
function AccountMark({ address }: { address: string }) {
  const hue = [...address.slice(2)].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 0)
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" className="shrink-0 rounded-full">
      <rect width="20" height="20" fill={`hsl(${hue} 45% 52%)`} />
      <rect x="4" y="12.5" width="12" height="3.4" rx="1.7" fill="#fff" />
      <rect x="6" y="8.3" width="8" height="3.2" rx="1.6" fill="#fff" opacity="0.85" />
      <rect x="7.5" y="4.6" width="5" height="2.7" rx="1.35" fill="#fff" opacity="0.7" />
    </svg>
  )
}

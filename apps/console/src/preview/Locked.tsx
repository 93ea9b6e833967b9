import type { ReactNode } from 'react'
import { LockKeyhole, LockKeyholeOpen } from '#icons'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { useSignInLabel } from '../wallet/use-sign-in-label.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { wantFile } from './wanted-file.ts'

/** Locked content with a button that opens it; visitors sign in first, and it then continues automatically. */
export function Locked({
  cid,
  title,
  hint,
  action,
  icon: Icon = LockKeyholeOpen,
  onOpen,
  children,
}: {
  cid: string
  title: string
  /** Hint for signed-in users. */
  hint: string
  action: string
  /** Icon of the action. */
  icon?: typeof LockKeyholeOpen
  onOpen: () => void
  /** Further actions for signed-in users. */
  children?: ReactNode
}) {
  const isSignedIn = useSession() !== undefined
  const signInLabel = useSignInLabel()
  const start = () => {
    if (isSignedIn) return onOpen()
    wantFile(cid)
    openWalletDialog()
  }
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg bg-sunken px-4 py-10 text-center [@media(max-height:40rem)]:py-4">
      {/* In a low window, such as that of a small phone, the buttons have its room. */}
      <span className="grid size-12 place-items-center rounded-xl bg-accent-soft text-accent-ink [@media(max-height:40rem)]:hidden">
        <LockKeyhole aria-hidden="true" size={22} strokeWidth={1.7} />
      </span>
      <p className="font-semibold text-lg">{title}</p>
      <p className="max-w-sm text-ink-soft">{isSignedIn ? hint : messages.preview.signInHint}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button kind="primary" onClick={start}>
          {isSignedIn ? <Icon aria-hidden="true" size={16} /> : undefined}
          {isSignedIn ? action : signInLabel}
        </Button>
        {isSignedIn ? children : undefined}
      </div>
    </div>
  )
}

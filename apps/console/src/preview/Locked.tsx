import { LockKeyhole, LockKeyholeOpen } from '#icons'
import { useSession } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { words } from '../words/words.ts'
import { wantFile } from './wanted-file.ts'

/** What is locked, and the press that opens it; who is not signed in does that first, and it goes on by itself. */
export function Locked({
  cid,
  title,
  hint,
  action,
  onOpen,
}: {
  cid: string
  title: string
  /** What is said to who is signed in. */
  hint: string
  action: string
  onOpen: () => void
}) {
  const isSignedIn = useSession() !== undefined
  const start = () => {
    if (isSignedIn) return onOpen()
    wantFile(cid)
    openWalletDialog()
  }
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg bg-sunken px-4 py-10 text-center">
      <span className="grid size-12 place-items-center rounded-xl bg-accent-soft text-accent-ink">
        <LockKeyhole aria-hidden="true" size={22} strokeWidth={1.7} />
      </span>
      <p className="font-semibold text-lg">{title}</p>
      <p className="max-w-sm text-ink-soft">{isSignedIn ? hint : words.preview.signInHint}</p>
      <Button kind="primary" onClick={start}>
        {isSignedIn ? <LockKeyholeOpen aria-hidden="true" size={16} /> : undefined}
        {isSignedIn ? action : words.session.connect}
      </Button>
    </div>
  )
}

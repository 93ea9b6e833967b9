import { maxLinkFailures } from '@cairn/protocol'
import type { LinkInfo } from '@cairn/sdk'
import { useEffect, useState } from 'react'
import { LockKeyhole } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/TextField.tsx'
import { LinkFacts } from './LinkFacts.tsx'

/**
 * A link before it is opened. The service counts each opening, so it requires a click: programs that only fetch the address, such
 * as the link previews of messengers, do not count.
 */
export function LinkCover({
  info,
  isBusy,
  isWrongPassword,
  onOpen,
}: {
  info: LinkInfo
  isBusy: boolean
  isWrongPassword: boolean
  onOpen: (password: string | undefined) => void
}) {
  const [password, setPassword] = useState('')
  const [wasTried, setTried] = useState(false)
  const { needsPassword, opensLeft } = info
  useEffect(() => {
    document.title = `${messages.linkPage.title} · ${messages.shell.product}`
  }, [])
  const open = () => {
    setTried(true)
    if (isBusy || (needsPassword && password === '')) return
    onOpen(needsPassword ? password : undefined)
  }
  const failure =
    wasTried && password === ''
      ? messages.linkPage.passwordEmpty
      : isWrongPassword && !isBusy
        ? messages.linkPage.passwordWrong(maxLinkFailures)
        : undefined
  return (
    <form
      className="mx-auto flex max-w-md flex-col gap-5 py-4 sm:py-10"
      onSubmit={(event) => {
        event.preventDefault()
        open()
      }}
    >
      <div className="flex flex-col items-center gap-3 text-center">
        <span className="grid size-14 place-items-center rounded-xl bg-accent-soft text-accent-ink">
          <LockKeyhole aria-hidden="true" size={26} strokeWidth={1.6} />
        </span>
        <h1 className="font-semibold text-xl tracking-tight">{messages.linkPage.title}</h1>
        <p className="text-ink-soft">{messages.linkPage.hint}</p>
      </div>
      <div className="rounded-lg border border-line bg-surface px-3 py-3 sm:px-4">
        <LinkFacts info={info} />
      </div>
      {needsPassword ? (
        <TextField
          type="password"
          label={messages.linkPage.password}
          hint={messages.linkPage.passwordHint}
          autoComplete="off"
          value={password}
          error={failure}
          onChange={({ target }) => setPassword(target.value)}
        />
      ) : undefined}
      <Button kind="primary" size="large" type="submit" isBusy={isBusy}>
        {isBusy ? messages.linkPage.opening : messages.linkPage.open}
      </Button>
      {opensLeft === 1 ? <p className="text-center text-sm text-warn">{messages.linkPage.openLast}</p> : undefined}
    </form>
  )
}

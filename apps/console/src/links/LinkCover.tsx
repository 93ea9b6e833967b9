import { maxLinkFailures } from '@cairn/protocol'
import type { LinkInfo } from '@cairn/sdk'
import { useEffect, useState } from 'react'
import { LockKeyhole } from '#icons'
import { setPageTitle } from '../browser/page-title.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { LinkFacts } from './LinkFacts.tsx'
import { LinkHead } from './LinkHead.tsx'

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
  useEffect(() => setPageTitle(messages.linkPage.title), [])
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
      <LinkHead icon={LockKeyhole} title={messages.linkPage.title} hint={messages.linkPage.hint} />
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

import { Navigate, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { BadgeCheck, Coins, KeyRound, Wallet } from '#icons'
import { setPageTitle } from '../browser/page-title.ts'
import { messages } from '../messages/messages.ts'
import { loadCode } from '../parts/load-code.ts'
import { useSessionState } from '../session/session-store.ts'
import { Button } from '../ui/Button.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { useSignInLabel } from '../wallet/use-sign-in-label.ts'
import { openWalletDialog } from '../wallet/wallet-dialog-store.ts'
import { PriceSlider } from './PriceSlider.tsx'

const icons = [BadgeCheck, KeyRound, Coins]

/** The page for visitors: the product, its price, and sign-in. Signed-in users are redirected to their files. */
export function WelcomePage() {
  const { session, isReady } = useSessionState()
  const label = useSignInLabel()
  useEffect(() => setPageTitle(''), [])
  if (session !== undefined) return <Navigate to="/files" replace />
  if (!isReady) return undefined
  return (
    <div className="mx-auto flex w-full max-w-5xl animate-appear flex-col gap-16 py-8 sm:py-16">
      <section className="grid items-center gap-10 lg:grid-cols-[1.25fr_1fr] lg:gap-16">
        <div className="flex flex-col items-start gap-6">
          <h1 className="font-semibold text-2xl tracking-tight sm:text-3xl">{messages.welcome.title}</h1>
          <p className="max-w-prose text-ink-soft text-lg">{messages.welcome.lead}</p>
          <Button kind="primary" size="large" onClick={openWalletDialog}>
            <Wallet aria-hidden="true" size={18} />
            {label}
          </Button>
          <p className="text-ink-soft text-sm">{messages.welcome.freeNote}</p>
        </div>
        <PriceSlider />
      </section>
      <section className="grid gap-8 border-line border-t pt-12 sm:grid-cols-3">
        {messages.welcome.points.map(({ title, text }, i) => {
          const Icon = icons[i] ?? BadgeCheck
          return (
            <div key={title} className="flex flex-col gap-2">
              <Icon aria-hidden="true" size={22} strokeWidth={1.7} className="text-accent-ink" />
              <h2 className="font-semibold">{title}</h2>
              <p className="text-ink-soft text-sm">{text}</p>
            </div>
          )
        })}
      </section>
      <OpenByCid />
    </div>
  )
}

function OpenByCid() {
  const navigate = useNavigate()
  const [cid, setCid] = useState('')
  const [error, setError] = useState<string>()
  const openCid = async (wanted: string) => {
    try {
      const { isAnyCid } = await loadCode(import('./check-cid.ts'))
      if (isAnyCid(wanted)) await navigate({ to: '/open/$cid', params: { cid: wanted } })
      else setError(messages.welcome.openInvalid)
    } catch (failure) {
      toastError(messages.shell.partNotLoaded, failure)
    }
  }
  return (
    <section className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-card">
      <div>
        <h2 className="font-semibold text-lg">{messages.welcome.openTitle}</h2>
        <p className="text-ink-soft">{messages.welcome.openHint}</p>
      </div>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          void openCid(cid.trim().replace(/^(?:ipfs:\/\/|\/ipfs\/)/, ''))
        }}
      >
        <TextField
          label={messages.welcome.openLabel}
          value={cid}
          spellCheck={false}
          placeholder="bafy…"
          error={error}
          onChange={({ target }) => {
            setCid(target.value)
            setError(undefined)
          }}
          className="min-w-0 flex-1 basis-72"
        />
        <Button type="submit">{messages.welcome.open}</Button>
      </form>
    </section>
  )
}

import { Wallet } from 'lucide-react'
import { useState } from 'react'
import { type Connector, useConfig, useConnectors } from 'wagmi'
import { buttonClass } from '../ui/Button.tsx'
import { words } from '../words/words.ts'

/** The wallets that this browser has, by their own announcement; the one used last comes first. */
export function WalletList({ onPick }: { onPick: (connector: Connector) => void }) {
  const groups = useWalletGroups()
  if (groups.every(({ wallets }) => wallets.length === 0)) return <NoWallet />
  return (
    <div className="flex flex-col gap-5">
      {groups.map(({ title, wallets }) =>
        wallets.length === 0 ? undefined : (
          <section key={title} aria-label={title}>
            <h3 className="mb-1.5 font-medium text-ink-soft text-sm">{title}</h3>
            <ul className="flex flex-col gap-1">
              {wallets.map((connector) => (
                <li key={connector.uid}>
                  <button
                    type="button"
                    onClick={() => onPick(connector)}
                    className="flex h-14 w-full items-center gap-3 rounded-lg border border-line px-3 text-left font-medium transition-colors hover:border-accent-line hover:bg-hover"
                  >
                    <WalletIcon icon={connector.icon} />
                    {nameOf(connector)}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ),
      )}
    </div>
  )
}

/** EIP-6963 icons are data URLs; anything else would be a request to somebody. */
export function WalletIcon({ icon, size = 32 }: { icon: string | undefined; size?: number }) {
  const source = icon?.trim()
  if (source?.startsWith('data:image/')) {
    return <img src={source} alt="" width={size} height={size} className="rounded-md" />
  }
  return (
    <span className="grid size-8 place-items-center rounded-md bg-sunken text-ink-soft">
      <Wallet aria-hidden="true" size={18} />
    </span>
  )
}

function useWalletGroups(): { title: string; wallets: readonly Connector[] }[] {
  const { storage } = useConfig()
  const connectors = useConnectors()
  const [recentId] = useState(() => storage?.getItem('recentConnectorId'))
  const announced = connectors.filter(({ type, id }) => type === 'injected' && id !== 'injected')
  const recent = announced.filter(({ id }) => id === recentId)
  // The nameless one is what announced itself, or a wallet too old to announce itself.
  const nameless = announced.length === 0 && 'ethereum' in window
  return [
    { title: words.session.recent, wallets: recent },
    { title: words.session.installed, wallets: announced.filter((one) => !recent.includes(one)) },
    {
      title: words.session.other,
      wallets: connectors.filter(({ type, id }) => type !== 'injected' || (id === 'injected' && nameless)),
    },
  ]
}

function nameOf({ id, name }: Connector): string {
  return id === 'injected' ? words.session.browserWallet : name
}

function NoWallet() {
  return (
    <div className="flex flex-col items-start gap-3">
      <h3 className="font-semibold">{words.session.noWalletTitle}</h3>
      <p className="text-ink-soft text-sm">{words.session.noWalletHint}</p>
      <p className="text-ink-soft text-sm">{words.session.noWalletBrowse}</p>
      <button type="button" className={buttonClass('plain')} onClick={() => location.reload()}>
        {words.session.lookAgain}
      </button>
    </div>
  )
}

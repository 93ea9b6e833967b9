import { QrCode } from '#icons'
import { messages } from '../messages/messages.ts'
import { Tag } from '../ui/values/Tag.tsx'
import { NoWallet } from './NoWallet.tsx'
import type { WalletFamily } from './recent-wallet.ts'
import { WalletIcon } from './WalletIcon.tsx'
import { needsPairing, useWalletGroups, type WalletChoice } from './wallet-choice.ts'

/** The wallets to choose from, in groups; help for users without one. */
export function WalletList({ only, onPick }: { only?: WalletFamily; onPick: (choice: WalletChoice) => void }) {
  const groups = useWalletGroups(only)
  const hasOwn = groups.some(({ choices }) => choices.some((choice) => !needsPairing(choice)))
  return (
    <div className="flex flex-col gap-5">
      {groups.map(({ title, choices }) => (
        <section key={title} aria-label={title}>
          <h3 className="mb-1.5 font-medium text-ink-soft text-sm">{title}</h3>
          <ul className="flex flex-col gap-1">
            {choices.map((choice) => (
              <li key={choice.key}>
                <button
                  type="button"
                  onClick={() => onPick(choice)}
                  className="flex h-14 w-full items-center gap-3 rounded-lg border border-line px-3 text-left font-medium transition-colors hover:border-accent-line hover:bg-hover"
                >
                  <WalletIcon icon={choice.icon} {...(needsPairing(choice) ? { fallback: QrCode } : {})} />
                  <span className="min-w-0 flex-1 truncate">{choice.name}</span>
                  <Tag>{messages.wallet.families[choice.family]}</Tag>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {hasOwn ? undefined : <NoWallet />}
    </div>
  )
}

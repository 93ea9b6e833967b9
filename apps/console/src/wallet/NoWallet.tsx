import { ExternalLink } from '#icons'
import { touchQuery, useMedia } from '../browser/use-media.ts'
import { messages } from '../messages/messages.ts'
import { buttonClass } from '../ui/Button.tsx'
import { walletApps } from './wallet-apps.ts'

/** Explains wallets and where to get one; on a phone, how to open this page in the browser of a wallet app. */
export function NoWallet() {
  const isPhone = useMedia(touchQuery)
  const page = new URL(location.href)
  return (
    <div className="flex flex-col items-start gap-3">
      <h3 className="font-semibold">{messages.wallet.noWalletTitle}</h3>
      <p className="text-ink-soft text-sm">{isPhone ? messages.wallet.noWalletPhone : messages.wallet.noWalletHint}</p>
      <ul className="grid w-full gap-2 sm:grid-cols-2">
        {walletApps.map(({ name, home, open }) => (
          <li key={name}>
            <a
              href={isPhone ? open(page) : home}
              {...(isPhone ? {} : { target: '_blank' })}
              rel="noreferrer"
              className={`${buttonClass()} w-full`}
            >
              {isPhone ? messages.wallet.openIn(name) : messages.wallet.getWallet(name)}
              <ExternalLink aria-hidden="true" size={15} />
            </a>
          </li>
        ))}
      </ul>
      <p className="text-ink-soft text-sm">{messages.wallet.noWalletBrowse}</p>
      <button type="button" className={buttonClass('plain')} onClick={() => location.reload()}>
        {messages.wallet.recheck}
      </button>
    </div>
  )
}

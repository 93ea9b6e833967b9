import { Smartphone } from '#icons'
import { touchQuery, useMedia } from '../browser/use-media.ts'
import { messages } from '../messages/messages.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { QrCode } from '../ui/values/QrCode.tsx'
import { usePairingUri } from './pairing-uri.ts'

/** The pairing code for a wallet on another device: a QR code, and a link for a wallet on this one. */
export function PairingCode({ onBack }: { onBack: () => unknown }) {
  const uri = usePairingUri()
  const isPhone = useMedia(touchQuery)
  return (
    <div className="flex flex-col items-center gap-4 py-2 text-center">
      <h3 className="font-semibold">{isPhone ? messages.wallet.pairPhoneTitle : messages.wallet.pairTitle}</h3>
      <p className="max-w-sm text-ink-soft text-sm">{isPhone ? messages.wallet.pairPhone : messages.wallet.pairHint}</p>
      {uri === undefined ? (
        <p role="status" className="grid size-64 place-items-center">
          <Spinner label={messages.wallet.pairWaiting} />
        </p>
      ) : (
        <>
          {isPhone ? (
            <a href={uri} className={buttonClass('primary')}>
              <Smartphone aria-hidden="true" size={16} />
              {messages.wallet.pairOpen}
            </a>
          ) : undefined}
          <QrCode text={uri} label={messages.wallet.pairCode} isSmall={isPhone} />
          <p className="flex items-center gap-1 text-sm">
            {messages.wallet.pairCopy}
            <CopyButton text={uri} label={messages.wallet.pairCopy} />
          </p>
          <p role="status" className="text-ink-soft text-sm">
            {messages.wallet.pairShown}
          </p>
        </>
      )}
      <Button onClick={() => void onBack()}>{messages.wallet.back}</Button>
    </div>
  )
}

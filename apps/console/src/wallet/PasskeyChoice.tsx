import { useState } from 'react'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { startPasskey } from './passkey-start.ts'

/** Asks whether the user already has a passkey, and explains the difference. */
export function PasskeyChoice({ onBack }: { onBack: () => unknown }) {
  const [isStarted, setStarted] = useState(false)
  const start = (way: 'use' | 'create') => () => {
    setStarted(true)
    startPasskey(way)
  }
  return (
    <div className="flex flex-col items-center gap-4 py-2 text-center">
      <h3 className="font-semibold">{messages.passkey.title}</h3>
      <p className="max-w-sm text-ink-soft text-sm">{messages.passkey.hint}</p>
      {isStarted ? (
        <p role="status">
          <Spinner label={messages.passkey.waiting} />
        </p>
      ) : (
        <div className="flex flex-wrap justify-center gap-2">
          <Button kind="primary" onClick={start('use')}>
            {messages.passkey.use}
          </Button>
          <Button onClick={start('create')}>{messages.passkey.create}</Button>
        </div>
      )}
      <p className="max-w-sm text-ink-soft text-sm">{messages.passkey.loss}</p>
      <Button onClick={() => void onBack()}>{messages.wallet.back}</Button>
    </div>
  )
}

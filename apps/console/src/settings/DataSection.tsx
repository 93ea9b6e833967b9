import { useState } from 'react'
import { useConfig } from 'wagmi'
import { Download, Trash2 } from '#icons'
import { leaveAccount } from '../account/sign-out.ts'
import { saveText } from '../browser/save-text.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { Button } from '../ui/Button.tsx'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { clearLocalData, exportLocalData } from './local-data.ts'

/** Data in this browser: to export or to clear. */
export function DataSection() {
  const network = useNetwork()
  const config = useConfig()
  const [isAsking, setAsking] = useState(false)
  const [isClearing, setClearing] = useState(false)
  const [error, setError] = useState<unknown>()
  const clear = async () => {
    setClearing(true)
    setError(undefined)
    try {
      try {
        await leaveAccount(config, network)
      } finally {
        await clearLocalData()
        location.assign('/')
      }
    } catch (failure) {
      setError(failure)
      setClearing(false)
    }
  }
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <h2 className="font-semibold">{messages.settings.data}</h2>
      <p className="mb-4 max-w-prose text-ink-soft text-sm">{messages.settings.dataHint}</p>
      <div className="flex flex-col gap-4 text-sm">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-60 text-ink-soft">{messages.settings.exportHint}</p>
          <Button size="small" onClick={() => saveText('cairn-console.json', exportLocalData(), 'application/json')}>
            <Download aria-hidden="true" size={15} />
            {messages.settings.export}
          </Button>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-60 text-ink-soft">{messages.settings.clearHint}</p>
          <Button size="small" onClick={() => setAsking(true)}>
            <Trash2 aria-hidden="true" size={15} />
            {messages.settings.clear}
          </Button>
        </div>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={messages.settings.clearTitle}
        hint={messages.settings.clearText}
        confirmLabel={messages.settings.clearConfirm}
        isBusy={isClearing}
        onConfirm={() => void clear()}
      >
        {error === undefined ? undefined : <ErrorState error={error} />}
      </Confirm>
    </section>
  )
}

import { useEffect, useRef, useState } from 'react'
import { words } from '../words/words.ts'
import { overallProgress } from './overall-progress.ts'
import { useTransfersShown } from './panel-store.ts'
import { isActive, type Transfer, useTransfers } from './transfer-store.ts'

/** Progress is told to screen readers at most so often. */
const tellEveryMs = 5_000
const firstTellMs = 1_000

/** Announces progress politely, at most every few seconds, and what fails while the panel is open. */
export function TransfersAnnouncer() {
  const transfers = useTransfers()
  const running = transfers.filter(isActive)
  const failed = transfers.findLast(({ stage }) => stage === 'failed')
  const isPanelShown = useTransfersShown()
  const isRunning = running.length > 0
  const latest = useRef('')
  const [told, setTold] = useState('')
  useEffect(() => {
    latest.current = words.transfers.announce(running.length, Math.round(overallProgress(running) * 100))
  })
  useEffect(() => {
    // Results are announced by toasts, or below.
    if (!isRunning) return setTold('')
    const tell = () => {
      setTold(latest.current)
      timer = setTimeout(tell, tellEveryMs)
    }
    let timer = setTimeout(tell, firstTellMs)
    return () => clearTimeout(timer)
  }, [isRunning])
  return (
    <div role="status" className="sr-only">
      <p>{told}</p>
      {isPanelShown && failed !== undefined ? <p>{describeFailure(failed)}</p> : undefined}
    </div>
  )
}

function describeFailure({ kind, name, error }: Transfer): string {
  return `${kind === 'upload' ? words.transfers.failedToast(name) : name}: ${error?.message ?? ''}`
}

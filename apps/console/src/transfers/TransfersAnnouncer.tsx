import { useEffect, useRef, useState } from 'react'
import { describeError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { overallProgress } from './overall-progress.ts'
import { useTransfersShown } from './panel-store.ts'
import { titleFailure } from './title-failure.ts'
import { isActive, type Transfer, useTransfers } from './transfer-store.ts'

/** Minimum interval in ms between progress announcements to screen readers. */
const notifyEveryMs = 5_000
const firstNotifyMs = 1_000

/** Announces progress politely, every few seconds at most, and failures while the panel is open. */
export function TransfersAnnouncer() {
  const transfers = useTransfers()
  const running = transfers.filter(isActive)
  const failed = transfers.findLast(({ stage }) => stage === 'failed')
  const isPanelShown = useTransfersShown()
  const isRunning = running.length > 0
  const latest = useRef('')
  const [spoken, setSpoken] = useState('')
  useEffect(() => {
    latest.current = messages.transfers.announce(running.length, Math.round(overallProgress(running) * 100))
  })
  useEffect(() => {
    // Results are announced by toasts, or below.
    if (!isRunning) return setSpoken('')
    const announce = () => {
      setSpoken(latest.current)
      timer = setTimeout(announce, notifyEveryMs)
    }
    let timer = setTimeout(announce, firstNotifyMs)
    return () => clearTimeout(timer)
  }, [isRunning])
  return (
    <div role="status" className="sr-only">
      <p>{spoken}</p>
      {isPanelShown && failed !== undefined ? <p>{describeFailure(failed)}</p> : undefined}
    </div>
  )
}

function describeFailure(transfer: Transfer): string {
  const { error } = transfer
  return `${titleFailure(transfer)}: ${error === undefined ? '' : describeError(error).message}`
}

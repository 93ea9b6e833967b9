import { useEffect, useState } from 'react'
import { words } from '../words/words.ts'
import { overallProgress } from './overall-progress.ts'
import { isActive, useTransfers } from './transfer-store.ts'

/** Progress is told to screen readers at most so often. */
const tellEveryMs = 5_000
const firstTellMs = 1_000

/** How far it all is, said politely and seldom. */
export function TransfersAnnouncer() {
  const running = useTransfers().filter(isActive)
  const [told, setTold] = useState('')
  const text =
    running.length === 0 ? '' : words.transfers.announce(running.length, Math.round(overallProgress(running) * 100))
  useEffect(() => {
    const timer = setTimeout(() => setTold(text), told === '' ? firstTellMs : tellEveryMs)
    return () => clearTimeout(timer)
  }, [text, told])
  return (
    <p role="status" className="sr-only">
      {told}
    </p>
  )
}

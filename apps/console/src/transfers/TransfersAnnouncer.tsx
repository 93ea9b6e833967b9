import { useEffect, useRef, useState } from 'react'
import { words } from '../words/words.ts'
import { overallProgress } from './overall-progress.ts'
import { isActive, useTransfers } from './transfer-store.ts'

/** Progress is told to screen readers at most so often. */
const tellEveryMs = 5_000
const firstTellMs = 1_000

/** How far it all is, said politely and seldom: however often it changes in between. */
export function TransfersAnnouncer() {
  const running = useTransfers().filter(isActive)
  const isRunning = running.length > 0
  const latest = useRef('')
  const [told, setTold] = useState('')
  useEffect(() => {
    latest.current = words.transfers.announce(running.length, Math.round(overallProgress(running) * 100))
  })
  useEffect(() => {
    // What came of it is said by toasts.
    if (!isRunning) return setTold('')
    const tell = () => {
      setTold(latest.current)
      timer = setTimeout(tell, tellEveryMs)
    }
    let timer = setTimeout(tell, firstTellMs)
    return () => clearTimeout(timer)
  }, [isRunning])
  return (
    <p role="status" className="sr-only">
      {told}
    </p>
  )
}

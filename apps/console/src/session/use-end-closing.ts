import { createClient, type KeySession } from '@cairn/sdk'
import { useCallback, useEffect, useState } from 'react'
import { useNetwork } from '../network/use-network.ts'
import { loadCode } from '../parts/load-code.ts'
import { recallClosing, useClosing } from './closing-sessions.ts'
import { useSession } from './session-store.ts'

/**
 * Sessions that are still open at some key nodes. They are closed when the page opens, when the network returns, and on
 * request.
 */
export function useEndClosing(): { closing: readonly KeySession[]; isEnding: boolean; end: () => Promise<void> } {
  const network = useNetwork()
  const closing = useClosing()
  const [isEnding, setEnding] = useState(false)
  const endAll = useCallback(
    async (sessions: readonly KeySession[]) => {
      if (sessions.length === 0) return
      setEnding(true)
      try {
        const { endKeySession } = await loadCode(import('./key-session-calls.ts'))
        await Promise.all(sessions.map((session) => endKeySession(createClient({ network }), session)))
      } finally {
        setEnding(false)
      }
    },
    [network],
  )
  useEffect(() => {
    const begin = async () => endAll(await recallClosing())
    void begin()
  }, [endAll])
  const hasKeySession = useSession()?.keySession !== undefined
  useEffect(() => {
    // Loaded ahead, because a session may be closed while offline, and Firefox repeats a failed import until the page is
    // reloaded. A failure is reported where the code is used.
    if (hasKeySession) loadCode(import('./key-session-calls.ts')).catch(() => undefined)
  }, [hasKeySession])
  const end = useCallback(() => endAll(closing), [endAll, closing])
  useEffect(() => {
    const again = () => void end()
    addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [end])
  return { closing, isEnding, end }
}

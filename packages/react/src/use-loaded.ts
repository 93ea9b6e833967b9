import { CairnError, type Client } from '@cairn/sdk'
import { useCallback, useEffect, useState } from 'react'
import type { Topic } from './changes.ts'
import { useCairnContext } from './provider.ts'
import { useLatest } from './use-latest.ts'

/** Data that a hook loads. */
export type Loaded<Data> = {
  /** Undefined until it is loaded. Kept while it is loaded again. */
  data: Data | undefined
  /** Why the last attempt failed; `data` may then be older. */
  error: CairnError | undefined
  isLoading: boolean
  /** Loads it again, and the network if that failed. */
  refresh: () => void
}

type State<Data> = { account: object; key: string; data?: Data; error?: CairnError; turn: number }

/**
 * Loads data when the component mounts, when the key, the network or the account changes, and when an action changes
 * the topic. Aborts the call when the component unmounts.
 * @param key names the data; undefined loads nothing
 */
export function useLoaded<Data>(
  key: string | undefined,
  topic: Topic | undefined,
  load: (client: Client, signal: AbortSignal) => Promise<Data>,
): Loaded<Data> {
  const { client, account, changes, error: networkError, retry } = useCairnContext()
  const [turn, setTurn] = useState(0)
  const [state, setState] = useState<State<Data>>()
  const reload = useCallback(() => setTurn((last) => last + 1), [])
  const refresh = useCallback(() => {
    retry()
    reload()
  }, [retry, reload])
  const latest = useLatest({ client, load })
  const isReady = client !== undefined
  useEffect(() => (topic === undefined ? undefined : changes.subscribe(topic, reload)), [changes, topic, reload])
  useEffect(() => {
    const { client, load } = latest.current
    if (key === undefined || !isReady || client === undefined) return
    const stop = new AbortController()
    const own = { account, key, turn }
    load(client, stop.signal).then(
      (data) => {
        if (!stop.signal.aborted) setState({ ...own, data })
      },
      (cause: unknown) => {
        if (stop.signal.aborted) return
        const error = CairnError.from(cause)
        setState((last) => (last && isSame(last, own) ? { ...last, error, turn } : { ...own, error }))
      },
    )
    return () => stop.abort()
  }, [account, key, turn, isReady, latest])
  const current = key !== undefined && state && isSame(state, { account, key }) ? state : undefined
  const error = current?.error ?? (isReady ? undefined : networkError)
  const isLoading = key !== undefined && error === undefined && current?.turn !== turn
  return {
    data: current?.data,
    error,
    isLoading: isLoading || (current !== undefined && current.turn !== turn),
    refresh,
  }
}

function isSame(one: { account: object; key: string }, other: { account: object; key: string }): boolean {
  return one.account === other.account && one.key === other.key
}

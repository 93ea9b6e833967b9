import { CairnError, type Client } from '@cairn/sdk'
import { useCallback, useRef, useState } from 'react'
import { useCairnContext } from './provider.ts'
import { useLatest } from './use-latest.ts'
import { useMountEffect } from './use-mount-effect.ts'

/** State of the last call of an action. */
export type ActionState<Data> =
  | { status: 'idle' | 'running'; data: undefined; error: undefined }
  | { status: 'done'; data: Data; error: undefined }
  | { status: 'failed'; data: undefined; error: CairnError }

/** An action that a component starts. */
export type Action<Args extends readonly unknown[], Data> = ActionState<Data> & {
  /** Starts it. Never rejects: returns undefined if it failed or was aborted. */
  run: (...args: Args) => Promise<Data | undefined>
  /** Aborts the running call and the queued ones. */
  abort: () => void
  /** Clears the outcome of the last call. */
  reset: () => void
}

/** Calls of one mounted component and one account. */
type Queue = { stop: AbortController; last: Promise<unknown>; waiting: number }

type Settings = {
  /** `queue`: runs after the previous calls. `ignore`: has no effect. Defaults to `queue`. */
  whileRunning?: 'queue' | 'ignore'
  /** What the action is about, such as a CID: its outcome is not shown for another one. */
  subject?: unknown
}

const idle = { status: 'idle', data: undefined, error: undefined } as const

/**
 * Returns an action with its state. Aborts it when the component unmounts or the account changes, and then updates
 * nothing.
 */
export function useAction<Args extends readonly unknown[], Data>(
  work: (call: { client: Client; signal: AbortSignal }, ...args: Args) => Promise<Data>,
  { whileRunning = 'queue', subject }: Settings = {},
): Action<Args, Data> {
  const { client, account, error: networkError } = useCairnContext()
  const latest = useLatest({ work, client, networkError, subject })
  const queue = useRef<Queue>(undefined)
  const [kept, setKept] = useState<{ account: object; subject: unknown; state: ActionState<Data> }>()
  // Calls belong to the account that started them. Children can start actions in their own effects, which run before
  // the effects of this component.
  useMountEffect(() => {
    const own: Queue = { stop: new AbortController(), last: Promise.resolve(), waiting: 0 }
    queue.current = own
    return () => {
      own.stop.abort()
      queue.current = undefined
    }
  }, [account])

  const run = useCallback(
    async (...args: Args): Promise<Data | undefined> => {
      const own = queue.current
      if (own === undefined || (whileRunning === 'ignore' && own.waiting > 0)) return undefined
      const { signal } = own.stop
      // Those of the render that the user acted on, however long the call waits.
      const { client, work, networkError, subject } = latest.current
      const update = (state: ActionState<Data>) => {
        if (queue.current === own) setKept({ account, subject, state })
      }
      const attempt = async (): Promise<Data | undefined> => {
        if (signal.aborted) return undefined
        update({ status: 'running', data: undefined, error: undefined })
        try {
          if (client === undefined) throw networkError ?? notReady()
          const data = await work({ client, signal }, ...args)
          update({ status: 'done', data, error: undefined })
          return data
        } catch (cause) {
          const error = CairnError.from(cause)
          const isAborted = signal.aborted || error.code === 'ABORTED'
          update(isAborted ? idle : { status: 'failed', data: undefined, error })
          return undefined
        }
      }
      own.waiting++
      const result = own.last.then(attempt).finally(() => {
        own.waiting--
      })
      own.last = result
      return result
    },
    [account, latest, whileRunning],
  )
  const abort = useCallback(() => {
    const own = queue.current
    if (own === undefined) return
    own.stop.abort()
    own.stop = new AbortController()
  }, [])
  const reset = useCallback(() => setKept(undefined), [])
  const isShown = kept?.account === account && (kept.subject === subject || kept.state.status === 'running')
  const state = isShown ? kept.state : idle
  return { ...state, run, abort, reset }
}

function notReady(): CairnError {
  return new CairnError('NO_NETWORK', {
    message: 'The network is not loaded yet',
    hint: 'Wait until useCairn returns a client.',
  })
}

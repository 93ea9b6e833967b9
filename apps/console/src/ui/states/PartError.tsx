import { useId, useLayoutEffect } from 'react'
import { queryClient, toCairnError } from '../../network/query-client.ts'
import { createStore, useStore } from '../../state/store.ts'
import { ErrorState, NotLoaded } from './ErrorState.tsx'

/** The errors of the parts of a page that could not be loaded. */
const failed = createStore<readonly { id: string; text: string }[]>([])

/**
 * Shows the error of a part of a page. If another part shows the same error already, it only says that it is not loaded: a retry
 * there loads this part, too.
 */
export function PartError({ error, onRetry }: { error: Error; onRetry: () => unknown }) {
  const id = useId()
  const { code, message } = toCairnError(error)
  const text = `${code} ${message}`
  useLayoutEffect(() => {
    failed.set([...failed.get(), { id, text }])
    return () => failed.set(failed.get().filter((one) => one.id !== id))
  }, [id, text])
  const first = useStore(failed).find((one) => one.text === text)
  if (first?.id !== id) return <NotLoaded onRetry={onRetry} />
  const retryAll = () => {
    onRetry()
    void queryClient.refetchQueries(
      { type: 'active', predicate: ({ state }) => state.status === 'error' },
      { cancelRefetch: false },
    )
  }
  return <ErrorState error={error} onRetry={retryAll} />
}

import { CairnError } from '@cairn/sdk'
import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { messages } from '../messages/messages.ts'
import { isAnswering, PartNotLoaded } from '../parts/load-part.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'

/** Delay between two checks whether the service answers, in ms. */
const retryMs = 5_000

/** A page that crashed or was not loaded: the rest of the console continues. */
export function BrokenPage({ error }: { error: unknown }) {
  const router = useRouter()
  const isNotLoaded = error instanceof PartNotLoaded
  useEffect(() => (isNotLoaded ? whenAnswering(() => void router.invalidate()) : undefined), [isNotLoaded, router])
  if (isNotLoaded) {
    return (
      <ErrorState
        isPage
        error={new CairnError('NETWORK_ERROR', { cause: error })}
        title={messages.shell.pageNotLoaded}
        onRetry={() => router.invalidate()}
      />
    )
  }
  return (
    <ErrorState isPage error={error} title={messages.shell.brokenTitle} hint={messages.shell.brokenHint}>
      <Button onClick={() => location.reload()}>{messages.shell.reload}</Button>
    </ErrorState>
  )
}

/** Runs a function each time the service answers. Returns a function that ends that. */
function whenAnswering(run: () => void): () => void {
  let isOver = false
  const check = async () => {
    if ((await isAnswering()) && !isOver) run()
  }
  const timer = setInterval(() => void check(), retryMs)
  const checkNow = () => void check()
  addEventListener('online', checkNow)
  return () => {
    isOver = true
    clearInterval(timer)
    removeEventListener('online', checkNow)
  }
}

/** The pool of an EVM node: its transactions that no block contains. */
export type PoolWatch = Disposable & {
  /** Resolves at the next change that may have brought a transaction into the pool. */
  next(): Promise<void>
}

const subscription = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_subscribe',
  params: ['newPendingTransactions'],
})
/** Time until the next attempt after a lost connection. */
const retryMs = 1_000

/**
 * Watches the pool without asking for it: the node reports each transaction over a WebSocket. A lost connection counts as a change,
 * and so does the next one, because nothing is reported in between.
 * @param url of the node's HTTP endpoint
 */
export function watchPool(url: string): PoolWatch {
  let change = Promise.withResolvers<void>()
  let socket: WebSocket | undefined
  let retry: NodeJS.Timeout | undefined
  let isStopped = false
  const notify = (): void => {
    change.resolve()
    change = Promise.withResolvers()
  }
  const connect = (): void => {
    const opened = new WebSocket(url.replace(/^http/, 'ws'))
    socket = opened
    opened.addEventListener('open', () => opened.send(subscription))
    // The first message confirms the subscription.
    opened.addEventListener('message', notify)
    // It also follows each error.
    opened.addEventListener('close', () => {
      if (isStopped) return
      notify()
      retry = setTimeout(connect, retryMs)
    })
  }
  connect()
  return {
    next: () => change.promise,
    [Symbol.dispose]() {
      isStopped = true
      clearTimeout(retry)
      socket?.close()
      notify()
    },
  }
}

/** A part of a network that is asked whether it answers. */
export type WatchedPart = {
  /** How it is called at the start of a sentence: "Key node 3". */
  name: string
  url: string
  /** What does not work while it does not answer: a sentence. */
  effect: string
  /** Resolves when it works. @throws what is wrong */
  ask(signal: AbortSignal): Promise<void>
}

/** A chain, asked for its newest block. */
export function chainPart(url: string): WatchedPart {
  return {
    name: 'The local chain',
    url,
    effect: 'Payments and on-chain conditions fail until it does.',
    async ask(signal) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
      await askHttp(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
    },
  }
}

/** A service, asked for a path that answers 200. */
export function httpPart(name: string, url: string, path: string, effect: string): WatchedPart {
  return { name, url, effect, ask: (signal) => askHttp(`${url}${path}`, { signal }) }
}

async function askHttp(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init)
  await response.body?.cancel()
  if (!response.ok) throw new Error(`status ${response.status}`)
}

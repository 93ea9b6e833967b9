/** A service of a network that is probed. */
export type WatchedPart = {
  /** Its name at the start of a sentence: "Key node 3". */
  name: string
  url: string
  /** Consequence of its failure: a sentence. */
  effect: string
  /**
   * Resolves if it works.
   * @throws the failure
   */
  probe(signal: AbortSignal): Promise<void>
}

/** A chain, probed for its newest block. */
export function chainPart(url: string): WatchedPart {
  return {
    name: 'The local chain',
    url,
    effect: 'Payments and on-chain conditions fail until it responds.',
    probe: (signal) => callOk(url, 'eth_blockNumber', signal),
  }
}

/** A Solana chain, probed for its health. */
export function solanaPart(url: string): WatchedPart {
  return {
    name: 'The local Solana chain',
    url,
    effect: 'Conditions on Solana fail until it responds.',
    probe: (signal) => callOk(url, 'getHealth', signal),
  }
}

/** A service, probed at a path that returns 200. */
export function httpPart(name: string, url: string, path: string, effect: string): WatchedPart {
  return { name, url, effect, probe: (signal) => fetchOk(`${url}${path}`, { signal }) }
}

async function callOk(url: string, method: string, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
  await fetchOk(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
}

async function fetchOk(url: string, init: RequestInit): Promise<void> {
  const response = await fetch(url, init)
  await response.body?.cancel()
  if (!response.ok) throw new Error(`status ${response.status}`)
}

import { type Client, closeKeySession, createClient, type KeySession, openKeySession } from '@cairn/sdk'
import type { Surroundings } from './command.ts'
import { openWallet } from './commands/wallet.ts'

/** A session is taken up again unless it ends within this time. */
const leftMs = 60_000

/**
 * A client with a session at the key nodes: the one that is kept, or a new one, signed by the wallet (on a local network
 * without a wallet of the user's, by its test wallet).
 * @throws CairnError NO_WALLET, NO_KEY_NODES, KEY_NODES_UNAVAILABLE, INVALID_SIGNATURE
 */
export async function openKeyClient(
  surroundings: Surroundings,
  { withApiKey = false }: { withApiKey?: boolean } = {},
): Promise<Client> {
  const { session, state, output } = surroundings
  const client = withApiKey ? await session.client() : await session.anonymous()
  const { network } = client
  const name = network.keyRouter ?? network.api
  const keep = (kept: KeySession) => {
    // Written behind the call that renewed it; the next run signs anew where that fails.
    state.writeSession(name, kept).catch((error: unknown) => output.note(`The session could not be kept: ${error}`))
  }
  const kept = await state.readSession(name)
  const usesTestWallet = (await state.readWallet()) === undefined && network.wallet !== undefined
  const own = (await state.readAddress()) ?? network.wallet?.address.toLowerCase()
  const isOwn = isSession(kept) && kept.address.toLowerCase() === own
  if (isSession(kept) && (!isOwn || kept.isClosing)) {
    // One last try: after that it is forgotten for the new one, and ends with its time.
    await closeKeySession(client, kept, { signal: surroundings.signal })
    if (!isOwn) output.note(`The session of ${kept.address} with the key nodes has ended.`)
  }
  const keySession = isOwn && isOpen(kept) ? kept : await sign(surroundings, client, usesTestWallet)
  if (keySession !== kept) await state.writeSession(name, keySession)
  return createClient({
    network,
    keySession,
    onKeySession: keep,
    ...(client.apiKey === undefined ? {} : { apiKey: client.apiKey }),
  })
}

async function sign(surroundings: Surroundings, client: Client, usesTestWallet: boolean): Promise<KeySession> {
  const { output, signal } = surroundings
  const { wallet } = client.network
  const { privateKey } = usesTestWallet && wallet !== undefined ? wallet : await openWallet(surroundings)
  if (usesTestWallet) output.note(`Signing with the local network's test wallet ${wallet?.address}.`)
  return openKeySession(client, { privateKey }, { signal })
}

/** What was kept, as far as it is needed here; the nodes look at the rest. */
export function isSession(value: unknown): value is KeySession {
  return (
    typeof value === 'object' &&
    value !== null &&
    'address' in value &&
    typeof value.address === 'string' &&
    'sessionKey' in value &&
    'nodes' in value &&
    Array.isArray(value.nodes)
  )
}

function isOpen({ nodes, isClosing }: KeySession): boolean {
  return !isClosing && nodes.filter((node) => node !== null && node.refreshExpiresAt > Date.now() + leftMs).length >= 3
}

import { type Client, closeKeySession, createClient, type KeySession, openKeySession } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import { openWallet } from './open-wallet.ts'

/** A session is reused unless it expires within this time. */
const leftMs = 60_000

/**
 * Returns a client with a session at the key nodes: the stored one, or a new one signed by the wallet (on a local
 * network without a user wallet, by its test wallet).
 * @param options.signAgain whether the wallet signs although the stored session is open, to reach nodes that it lacks
 * @throws CairnError NO_WALLET, NO_KEY_NODES, KEY_NODES_UNAVAILABLE, INVALID_SIGNATURE
 */
export async function openKeyClient(
  context: CommandContext,
  { withApiKey = false, signAgain = false }: { withApiKey?: boolean; signAgain?: boolean } = {},
): Promise<Client> {
  const { session, state, output } = context
  const client = withApiKey ? await session.client() : await session.anonymous()
  const { network } = client
  const name = network.keyRouter ?? network.api
  const keep = (kept: KeySession) => {
    // Written in the background of the call that renewed it; if that fails, the next run signs in again.
    state.writeSession(name, kept).catch((error: unknown) => output.note(`Cannot save the session: ${error}`))
  }
  const kept = await state.readSession(name)
  const usesTestWallet = (await state.readWallet()) === undefined && network.wallet !== undefined
  const own = (await state.readAddress()) ?? network.wallet?.address.toLowerCase()
  const isOwn = isSession(kept) && kept.address.toLowerCase() === own
  if (isSession(kept) && (!isOwn || kept.isClosing)) {
    // A last attempt to close the old session: after it, the new one replaces it, and the old one expires.
    await closeKeySession(client, kept, { signal: context.signal })
    if (!isOwn) output.note(`Closed the session of ${kept.address} with the key nodes.`)
  }
  const keySession = isOwn && isOpen(kept) && !signAgain ? kept : await sign(context, client, usesTestWallet)
  if (keySession !== kept) await state.writeSession(name, keySession)
  return createClient({
    network,
    keySession,
    onKeySession: keep,
    ...(client.apiKey === undefined ? {} : { apiKey: client.apiKey }),
  })
}

async function sign(context: CommandContext, client: Client, usesTestWallet: boolean): Promise<KeySession> {
  const { output, signal } = context
  const { wallet } = client.network
  const { privateKey } = usesTestWallet && wallet !== undefined ? wallet : await openWallet(context)
  if (usesTestWallet) output.note(`Signing with the local network's test wallet ${wallet?.address}.`)
  return openKeySession(client, { privateKey }, { signal })
}

/** Validates the stored session as far as this program uses it; the nodes verify the rest. */
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

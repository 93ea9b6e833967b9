import { createSessionKey } from '@cairn/crypto'
import type { NetworkProfile } from '@cairn/protocol'
import { type Client, createClient } from '@cairn/sdk'

/** Everyone who takes part in a scenario. */
export const parties = {
  owner: `0x${'a'.repeat(40)}`,
  recipient: `0x${'b'.repeat(40)}`,
  stranger: `0x${'c'.repeat(40)}`,
  /** Owned the file before `owner`. */
  former: `0x${'d'.repeat(40)}`,
  /** Meets the conditions, and has no other right. */
  holder: `0x${'e'.repeat(40)}`,
} as const
export type Party = keyof typeof parties
export const partyNames = Object.keys(parties) as Party[]

/** The only file of all scenarios. */
export const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

export const nodeNumbers = [1, 2, 3, 4, 5] as const

const farMs = 8.64e15
const sessionKey = createSessionKey()

const network: NetworkProfile = {
  name: 'local',
  api: 'http://api.test',
  upload: 'http://api.test',
  gateway: 'http://api.test',
  keyRouter: 'http://keys.test',
  keyNodes: nodeNumbers.map((node) => `http://node-${node}.test`),
  keyNodePauseMs: 0,
}

/**
 * A client of the real SDK whose calls the explorer routes.
 * @param device names the session: the changes of one session have one challenge
 */
export function clientOf(party: Party, device: string, transport: typeof fetch): Client {
  const token = `${party}.${device}`
  const part = { token, refreshToken: 'a.b', expiresAt: farMs, refreshExpiresAt: farMs }
  return createClient({
    network,
    fetch: transport,
    // The explorer decides which responses arrive, and when.
    callTimeoutMs: 2 ** 31 - 1,
    keySession: { address: parties[party], sessionKey, nodes: nodeNumbers.map((node) => ({ node, ...part })) },
  })
}

/** The party that a token was issued to. */
export function bearerOf(token: string): { party: Party; device: string } {
  const [name = '', device = ''] = token.split('.')
  const party = partyNames.find((one) => one === name)
  if (party === undefined) throw new Error(`no party has the token ${token}`)
  return { party, device }
}

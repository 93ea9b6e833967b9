import { addFiles, addressSchema, CairnError, type CallDefinition, importCar } from '@cairn/protocol'
import { rateLimitKey } from '@cairn/service'
import * as v from 'valibot'
import type { Caller } from '../caller.ts'
import type { Context } from '../context.ts'
import { findChallenge, spendChallenge } from './challenges.ts'
import { ensureAccount } from './store.ts'

/** Calls that one signature authorizes, once. */
const allowedCalls: readonly string[] = [addFiles.id, importCar.id]

/**
 * Signatures checked per minute and IP address, valid or not: each is compared with up to 16 messages of the address that
 * it names, which takes tens of ms. An address gets as many messages to sign per minute.
 */
const checksPerMinute = 60

/** Whether a bearer is `address$signature`: a wallet's authorization of one upload, without an API key. */
export function isOneTime(token: string): boolean {
  return token.includes('$')
}

/**
 * Authenticates the wallet of one upload. The message is spent before a byte is read, so that it is valid for one
 * upload only, even with concurrent requests.
 * @throws CairnError UNAUTHENTICATED, FORBIDDEN (another call), INVALID_SIGNATURE, CHALLENGE_EXPIRED,
 *   SIGNED_FOR_ANOTHER_USE, CHAIN_NOT_CONFIGURED, UPSTREAM_FAILED, RATE_LIMITED, ACCOUNT_BLOCKED
 */
export async function authenticateOnce(
  context: Context,
  token: string,
  call: Pick<CallDefinition, 'id'>,
  ip: string,
): Promise<Caller> {
  const [given = '', signature = ''] = token.split('$')
  const address = v.safeParse(addressSchema, given)
  if (!address.success || signature === '' || signature.length > 8192) throw new CairnError('UNAUTHENTICATED')
  if (!allowedCalls.includes(call.id)) {
    throw new CairnError('FORBIDDEN', {
      message: 'A one-time authorisation is valid only for an upload',
      hint: 'Create an API key for other calls.',
    })
  }
  context.rates.consume(`one-time ${rateLimitKey(ip)}`, checksPerMinute)
  const challenge = await findChallenge(context, { address: address.output, signature, ip }, 'upload')
  await spendChallenge(context, challenge)
  await ensureAccount(context, address.output, ip)
  return { address: address.output, keyId: `once-${address.output}`, scopes: ['files:write'] }
}

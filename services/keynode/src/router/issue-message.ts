import { writeChallenge } from '@cairn/crypto'
import { CairnError, getNonce, keyShardThreshold } from '@cairn/protocol'
import type { TextSubject } from '../sessions/issued-texts.ts'
import type { RouterContext } from './context.ts'
import { callNode } from './node-client.ts'

/** Time limit for a node's nonce; slower nodes are left out of a message. */
const nonceTimeoutMs = 2_000

/**
 * Writes a message for an address to sign, with a nonce of each available node.
 * @param ip of the client
 * @throws CairnError KEY_NODES_UNAVAILABLE when fewer than three answer
 */
export function issueMessage(context: RouterContext, address: string, ip: string): Promise<string> {
  return context.issued.issue(address, ip, (subject) => writeMessage(context, address, ip, subject))
}

async function writeMessage(context: RouterContext, address: string, ip: string, issued: TextSubject): Promise<string> {
  const subject = { ...issued, address, domain: context.domain() }
  const nonces = await Promise.all(
    context.nodes.map(async (target, i) => {
      try {
        const params = { node: String(i + 1) }
        const options = { ip, timeoutMs: nonceTimeoutMs }
        const { nonce } = await callNode(target, getNonce, { params, body: subject }, options)
        return nonce
      } catch (error) {
        context.failures.failed(`nonce ${i + 1}`, error, 'a node returned no nonce', { node: i + 1 })
        return undefined
      }
    }),
  )
  if (nonces.filter((nonce) => nonce !== undefined).length < keyShardThreshold)
    throw new CairnError('KEY_NODES_UNAVAILABLE')
  return writeChallenge({ ...subject, network: context.config.networkName, nonces })
}

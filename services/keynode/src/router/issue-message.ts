import { randomUUID } from 'node:crypto'
import { writeChallenge } from '@cairn/crypto'
import { CairnError, getNonce, keySaveLifetimeMs, keyShardThreshold } from '@cairn/protocol'
import { callNode } from './ask-node.ts'
import type { RouterContext } from './context.ts'

/** Nodes that are slower than this have no part in a message. */
const nonceTimeoutMs = 2_000

/**
 * Writes a message for an address to sign, with a nonce of each node that answers.
 * @throws CairnError KEY_NODES_UNAVAILABLE when fewer than three do
 */
export async function issueMessage(context: RouterContext, address: string): Promise<string> {
  const issuedAt = context.clock.now()
  const subject = {
    id: randomUUID(),
    address,
    domain: context.domain(),
    issuedAt,
    // Published clients sign first and upload then: the key is saved after what may be hours.
    expiresAt: issuedAt + keySaveLifetimeMs,
  }
  const nonces = await Promise.all(
    context.config.nodes.map(async (base, i) => {
      try {
        const params = { node: String(i + 1) }
        const { nonce } = await callNode(base, getNonce, { params, body: subject }, { timeoutMs: nonceTimeoutMs })
        return nonce
      } catch (error) {
        context.log.warn({ err: error, node: i + 1 }, 'a node gave no nonce')
        return undefined
      }
    }),
  )
  if (nonces.filter((nonce) => nonce !== undefined).length < keyShardThreshold)
    throw new CairnError('KEY_NODES_UNAVAILABLE')
  const message = writeChallenge({ ...subject, network: context.config.networkName, nonces })
  context.issued.add(address, message, subject.expiresAt)
  return message
}

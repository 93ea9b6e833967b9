import { randomUUID } from 'node:crypto'
import { attestKey, CairnError, callPath } from '@cairn/protocol'
import { sendRequest, traceHeaders } from '@cairn/service'
import * as v from 'valibot'
import type { Context } from '../context.ts'
import { readStatement, signPeerToken } from '../sessions/tokens.ts'
import type { PeerClient } from './peer-statement.ts'
import { statementSchema } from './peer-statement.ts'

const timeoutMs = 3_000
const maxAnswerBytes = 1024 * 1024

/** Queries peers over HTTP: the request is signed for the peer, the answer by it. */
export function createPeerClient(context: Pick<Context, 'config' | 'keys' | 'clock'>): PeerClient {
  return {
    async ask(peer, cid) {
      const token = await signPeerToken(context, peer.node, { id: randomUUID(), cid })
      const url = new URL(`${peer.url}${callPath(attestKey, { node: String(peer.node) })}`)
      const answer = await sendRequest(url, {
        method: attestKey.method,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...traceHeaders() },
        body: JSON.stringify({ cid }),
        signal: AbortSignal.timeout(timeoutMs),
        maxAnswerBytes,
      })
      if (answer.header('x-cairn-code') === 'KEY_NOT_FOUND') return 'nothing'
      if (answer.header('x-cairn-code') === 'KEY_UNCONFIRMED') return 'unconfirmed'
      if (answer.status < 200 || answer.status > 299) throw failed(`The peer returned status ${answer.status}`)
      const { statement } = v.parse(attestKey.response.schema, JSON.parse(new TextDecoder().decode(answer.body)))
      const stated = v.parse(statementSchema, await readStatement(context, peer.node, statement))
      if (stated.cid !== cid) throw failed('The peer returned a statement about another file')
      return stated
    },
  }
}

function failed(message: string): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message })
}

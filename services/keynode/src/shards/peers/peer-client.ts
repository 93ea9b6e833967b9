import { randomUUID } from 'node:crypto'
import { attestKey, CairnError, type CallDefinition, callPath } from '@cairn/protocol'
import { sendRequest, traceHeaders } from '@cairn/service'
import * as v from 'valibot'
import type { Peer } from '../../config.ts'
import type { Context } from '../../context.ts'
import { readStatement, signPeerToken } from '../../sessions/tokens.ts'
import type { PeerClient } from './peer-statement.ts'
import { statementSchema } from './peer-statement.ts'

const timeoutMs = 3_000
const maxAnswerBytes = 1024 * 1024

/** Dependencies of calls between nodes. */
export type PeerCalling = Pick<Context, 'config' | 'keys' | 'clock'>

/** The parts of a call to a peer. */
export type PeerCall = {
  call: CallDefinition
  /** Scope of the token: a file, or the id of the call. */
  subject: string
  body: unknown
  timeoutMs?: number
  signal?: AbortSignal
}

/**
 * Makes a call to a peer and returns what it signed, or the code of its refusal. The request is signed for the peer.
 * @throws CairnError UPSTREAM_FAILED for an invalid response; what `sendRequest` throws if there is none
 */
export async function callPeer(
  context: PeerCalling,
  peer: Peer,
  { call, subject, body, timeoutMs: limitMs = timeoutMs, signal }: PeerCall,
): Promise<{ stated: unknown } | { code: string }> {
  const token = await signPeerToken(context, peer.node, { id: randomUUID(), cid: subject })
  const url = new URL(`${peer.url}${callPath(call, { node: String(peer.node) })}`)
  const answer = await sendRequest(url, {
    method: call.method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, ...traceHeaders() },
    body: JSON.stringify(body),
    signal: AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal === undefined ? [] : [signal])]),
    maxAnswerBytes,
  })
  const code = answer.header('x-cairn-code')
  if (code !== undefined && code !== null) return { code }
  if (answer.status < 200 || answer.status > 299) throw failed(`The peer returned status ${answer.status}`)
  const { statement } = v.parse(attestKey.response.schema, JSON.parse(new TextDecoder().decode(answer.body)))
  return { stated: await readStatement(context, peer.node, statement) }
}

/** Queries peers over HTTP: the request is signed for the peer, the answer by it. */
export function createPeerClient(context: PeerCalling): PeerClient {
  return {
    async ask(peer, cid) {
      const answer = await callPeer(context, peer, { call: attestKey, subject: cid, body: { cid } })
      if ('code' in answer) {
        if (answer.code === 'KEY_NOT_FOUND') return 'nothing'
        if (answer.code === 'KEY_UNCONFIRMED') return 'unconfirmed'
        throw failed(`The peer refused the query: ${answer.code}`)
      }
      const stated = v.parse(statementSchema, answer.stated)
      if (stated.cid !== cid) throw failed('The peer returned a statement about another file')
      return stated
    },
  }
}

function failed(message: string): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message })
}

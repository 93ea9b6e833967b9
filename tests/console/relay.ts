// A WalletConnect relay on this machine: it carries sealed messages between subscribers of a topic.
import { createPublicKey, verify } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { readBase58 } from './base58.ts'

/** @see https://specs.walletconnect.com/2.0/specs/servers/relay/relay-server-rpc */
export type TestRelay = AsyncDisposable & {
  url: string
  /** The project and identity that each accepted connection presented. */
  visitors: { projectId: string | null; issuer: string }[]
}

type Params = Record<string, unknown>
type Call = { id: number | string; method?: string; params?: Params }
type Message = { topic: string; message: string; publishedAt: number; tag: number }

export async function startRelay(): Promise<TestRelay> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 1024 * 1024 })
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const url = `ws://127.0.0.1:${isInfo(address) ? address.port : 0}`
  const visitors: TestRelay['visitors'] = []
  const subscribers = new Map<string, Set<WebSocket>>()
  /** Kept for later subscribers, because both sides come and go. */
  const mailbox = new Map<string, { from: WebSocket; message: Message }[]>()
  let lastId = 0

  const push = (socket: WebSocket, message: Message) => {
    const id = ++lastId
    const params = { id: message.topic, data: message }
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'irn_subscription', params }))
  }
  const publish = (from: WebSocket, topic: string, text: unknown, tag: unknown) => {
    const message = { topic, message: String(text), publishedAt: Date.now(), tag: Number(tag) }
    const others = [...(subscribers.get(topic) ?? [])].filter((one) => one !== from && one.readyState === one.OPEN)
    for (const one of others) push(one, message)
    if (others.length === 0) mailbox.set(topic, [...(mailbox.get(topic) ?? []), { from, message }])
  }
  const subscribe = (socket: WebSocket, topic: string): string => {
    subscribers.set(topic, (subscribers.get(topic) ?? new Set()).add(socket))
    const waiting = mailbox.get(topic) ?? []
    mailbox.set(
      topic,
      waiting.filter(({ from }) => from === socket),
    )
    for (const { from, message } of waiting) if (from !== socket) push(socket, message)
    return topic
  }
  const answer = (socket: WebSocket, { method, params = {} }: Call): unknown => {
    const topic = String(params['topic'])
    switch (method) {
      case 'irn_subscribe':
        return subscribe(socket, topic)
      case 'irn_batchSubscribe':
        return texts(params['topics']).map((one) => subscribe(socket, one))
      case 'irn_unsubscribe':
        return subscribers.get(topic)?.delete(socket) ?? false
      case 'irn_publish':
        publish(socket, topic, params['message'], params['tag'])
        return true
      case 'wc_proposeSession':
        subscribe(socket, String(params['pairingTopic']))
        publish(socket, String(params['pairingTopic']), params['sessionProposal'], 1100)
        return true
      case 'wc_approveSession':
        subscribe(socket, String(params['sessionTopic']))
        publish(socket, String(params['pairingTopic']), params['sessionProposalResponse'], 1101)
        publish(socket, String(params['sessionTopic']), params['sessionSettlementRequest'], 1102)
        return true
      case 'irn_batchFetchMessages':
        return { messages: [], hasMore: false }
      default:
        throw new Error(`no such method: ${method}`)
    }
  }
  server.on('connection', (socket, { url: path = '' }) => {
    const query = new URL(path, 'http://relay').searchParams
    const issuer = readIssuer(query.get('auth') ?? '', url)
    if (issuer === undefined) return socket.close(3000, 'Unauthorized: the token is wrong')
    visitors.push({ projectId: query.get('projectId'), issuer })
    socket.on('message', (bytes) => {
      const call: Call = JSON.parse(String(bytes))
      if (call.method === undefined) return
      try {
        socket.send(JSON.stringify({ id: call.id, jsonrpc: '2.0', result: answer(socket, call) }))
      } catch (error) {
        socket.send(JSON.stringify({ id: call.id, jsonrpc: '2.0', error: { code: -32000, message: String(error) } }))
      }
    })
    socket.on('close', () => {
      for (const sockets of subscribers.values()) sockets.delete(socket)
    })
  })
  return {
    url,
    visitors,
    [Symbol.asyncDispose]: async () => {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function isInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** The issuer of a token for this relay, by its did:key (Ed25519); undefined if the signature does not match. */
function readIssuer(token: string, relay: string): string | undefined {
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims: { iss?: unknown; aud?: unknown; exp?: unknown } = JSON.parse(
    Buffer.from(body, 'base64url').toString() || '{}',
  )
  const issuer = String(claims.iss)
  // The key follows two bytes that state its type.
  const key = readBase58(issuer.replace('did:key:z', ''), 34).subarray(2)
  if (key.length !== 32 || claims.aud !== relay || Number(claims.exp) * 1000 < Date.now()) return undefined
  const x = key.toString('base64url')
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  const isSigned = verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))
  return isSigned ? issuer : undefined
}

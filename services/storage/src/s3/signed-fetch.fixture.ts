import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { S3Keys, TestS3 } from './s3.fixture.ts'
import { type RawRequest, sha256Hex, writeCanonicalRequest } from './signature/canonical-request.ts'
import { createSigner } from './signature/signing-key.ts'

export function rawRequest(method: string, url: string, headers: Record<string, string>): RawRequest {
  const [path = '', query = ''] = url.split('?')
  const names = Object.keys(headers)
  return {
    method,
    path,
    query,
    headerNames: names,
    header: (name) => (headers[name] === undefined ? [] : [headers[name]]),
  }
}

/** Any request, with the options of its signature. */
export type Sent = {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: Uint8Array | string
  payloadHash?: string
  at?: number
  keys?: S3Keys
  host?: string
  dropSignature?: boolean
  /** Signs the bytes of headers, one character per byte, like clients other than Node's. */
  signsBytes?: boolean
  /** Sends neither a length nor chunks. */
  dropLength?: boolean
  /**
   * Runs after the first half of the body was sent; the second half follows. With the header `expect: 100-continue`, the service
   * reads the body by then, so it has authorized the request.
   */
  halfway?: () => Promise<void>
}

export const stamp = (ms: number): string => new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '')

/** Signs and sends requests that no client would send. */
export async function signedFetch(s3: Pick<TestS3, 'endpoint' | 'keys'>, path: string, sent: Omit<Sent, 'path'> = {}) {
  const { method = 'GET', headers = {}, body = '', payloadHash, at = Date.now(), keys = s3.keys, host: name } = sent
  const { host: own, hostname, port } = new URL(s3.endpoint)
  const time = stamp(at)
  const all: Record<string, string> = {
    ...headers,
    host: name ?? own,
    'x-amz-date': time,
    'x-amz-content-sha256': payloadHash ?? sha256Hex(body),
  }
  const signedHeaders = Object.keys(all).toSorted()
  const signer = createSigner(keys.secretAccessKey, { date: time.slice(0, 8), region: 'us-east-1' })
  const canonical = writeCanonicalRequest(
    rawRequest(method, path, all),
    signedHeaders,
    all['x-amz-content-sha256'] ?? '',
  )
  const signed = sent.signsBytes === true ? Buffer.from(canonical, 'latin1') : canonical
  const signature = signer.sign('AWS4-HMAC-SHA256', time, [sha256Hex(signed)])
  if (sent.dropSignature !== true) {
    all['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${signer.scope}, SignedHeaders=${signedHeaders.join(';')}, Signature=${signature}`
  }
  const length = { 'content-length': Buffer.byteLength(body) }
  type Received = { status: number; headers: IncomingHttpHeaders; body: string; code: string | undefined }
  return new Promise<Received>((resolve, reject) => {
    const outgoing = httpRequest({ hostname, port, method, path, headers: { ...all, ...length } }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (piece: string) => {
        text += piece
      })
      incoming.on('end', () => {
        const code = /<Code>(\w+)<\/Code>/.exec(text)?.[1]
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: text, code })
      })
    })
    outgoing.on('error', reject)
    if (sent.dropLength === true) {
      // A removed header is not added again by Node.
      for (const name of ['content-length', 'transfer-encoding']) outgoing.removeHeader(name)
    }
    const { halfway } = sent
    if (halfway === undefined) {
      outgoing.end(body)
      return
    }
    const bytes = Buffer.from(body)
    const sendBody = () => {
      outgoing.write(bytes.subarray(0, bytes.length / 2))
      halfway().then(() => outgoing.end(bytes.subarray(bytes.length / 2)), reject)
    }
    if (headers['expect'] === undefined) sendBody()
    else outgoing.once('continue', sendBody).flushHeaders()
  })
}

import { CairnError } from '@cairn/protocol'
import { AnswerTooLargeError, readLimited } from '@cairn/service'
import * as v from 'valibot'

/** Queries one endpoint of one chain, over JSON-RPC 2.0. */
export type Rpc = {
  /**
   * @param maxBytes of the response
   * @throws CairnError UPSTREAM_FAILED, whose message names no host, with AnswerTooLargeError as the cause if the response is
   *   too long; RpcRefusal when the endpoint itself returns an error
   */
  ask<S extends v.GenericSchema>(
    method: string,
    params: readonly unknown[],
    result: S,
    maxBytes?: number,
  ): Promise<v.InferOutput<S>>
}

/** The endpoint understood the request and rejected it: a range that is too large, a call that reverted. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal'
  /** Undefined if the endpoint stated none. */
  readonly code: number | undefined
  constructor(code: number | undefined, message: string) {
    super(message)
    this.code = code
  }
}

const timeoutMs = 10_000
const maxAnswerBytes = 16 * 1024 * 1024

/** Endpoints, and the proxies before them, omit codes and messages, return codes as text, or errors that are only a text. */
const errorSchema = v.union([
  v.pipe(
    v.string(),
    v.nonEmpty(),
    v.transform((message) => ({ code: undefined, message })),
  ),
  v.object({
    code: v.fallback(v.optional(v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.number())), undefined),
    message: v.fallback(v.string(), ''),
  }),
])
const answerSchema = v.union([v.object({ error: errorSchema }), v.object({ result: v.unknown() })])

export function createRpc(url: string, signal?: AbortSignal): Rpc {
  let id = 0
  return {
    async ask(method, params, result, maxBytes = maxAnswerBytes) {
      const limit = AbortSignal.timeout(timeoutMs)
      const {
        ok: isOk,
        status,
        text,
      } = await send(url, JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }), {
        maxBytes,
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      }).catch((cause: unknown) => {
        if (cause instanceof AnswerTooLargeError) throw failed('returned too long a response', cause)
        throw failed(limit.aborted ? 'did not respond in time' : 'is unreachable', cause)
      })
      // Some endpoints refuse with a status and say why in the body.
      const read = v.safeParse(answerSchema, readJson(text))
      if (!read.success || !(isOk || 'error' in read.output)) {
        throw failed(isOk ? 'returned a response that is not JSON-RPC' : `returned status ${status}`)
      }
      if ('error' in read.output) {
        throw new RpcRefusal(read.output.error.code, withoutSecrets(read.output.error.message))
      }
      const parsed = v.safeParse(result, read.output.result)
      if (!parsed.success) throw failed(`returned a malformed response to ${method}`)
      return parsed.output
    },
  }
}

async function send(
  url: string,
  body: string,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<{ ok: boolean; status: number; text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body,
    redirect: 'error',
    signal,
  })
  const { ok, status } = response
  return { ok, status, text: await readLimited(response, maxBytes) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The schema rejects it.
    return undefined
  }
}

/** An endpoint's message may repeat the key in its URL. */
function withoutSecrets(message: string): string {
  return message
    .slice(0, 256)
    .replace(/https?:\/\/\S+/g, '…')
    .replace(/[\w-]{20,}/g, '…')
}

function failed(what: string, cause?: unknown): CairnError {
  return new CairnError('UPSTREAM_FAILED', { message: `An endpoint of the chain ${what}`, cause })
}

/** A number as JSON-RPC writes it, of a safe size. */
export const hexNumber = v.pipe(
  v.string(),
  v.regex(/^0x[0-9a-fA-F]{1,13}$/),
  v.transform((text) => Number.parseInt(text, 16)),
)
export const hexHash = v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{64}$/), v.transform(toLowerHex))
export const hexAddress = v.pipe(v.string(), v.regex(/^0x[0-9a-fA-F]{40}$/), v.transform(toLowerHex))
export const hexBytes = v.pipe(v.string(), v.regex(/^0x([0-9a-fA-F]{2})*$/), v.transform(toLowerHex))

function toLowerHex(text: string): `0x${string}` {
  return `0x${text.slice(2).toLowerCase()}`
}

/** Encodes a number for JSON-RPC. */
export function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

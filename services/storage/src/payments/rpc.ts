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
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const timeoutMs = 10_000
const maxAnswerBytes = 16 * 1024 * 1024

const answerSchema = v.union([
  v.object({ error: v.object({ code: v.number(), message: v.string() }) }),
  v.object({ result: v.unknown() }),
])

export function createRpc(url: string, signal?: AbortSignal): Rpc {
  let id = 0
  return {
    async ask(method, params, result, maxBytes = maxAnswerBytes) {
      let answer: unknown
      try {
        const limit = AbortSignal.timeout(timeoutMs)
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }),
          redirect: 'error',
          signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
        })
        const text = await readLimited(response, maxBytes)
        // Some endpoints refuse with a status and say why in the body.
        if (!response.ok && !text.includes('"error"'))
          throw new Error(`the endpoint returned status ${response.status}`)
        answer = JSON.parse(text)
      } catch (cause) {
        throw failed(
          `returned ${cause instanceof AnswerTooLargeError ? 'too long a response' : 'an invalid response'}`,
          cause,
        )
      }
      const read = v.safeParse(answerSchema, answer)
      if (!read.success) throw failed('returned a response that is not JSON-RPC')
      if ('error' in read.output) {
        throw new RpcRefusal(read.output.error.code, withoutSecrets(read.output.error.message))
      }
      const parsed = v.safeParse(result, read.output.result)
      if (!parsed.success) throw failed(`returned a malformed response to ${method}`)
      return parsed.output
    },
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

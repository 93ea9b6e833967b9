import type { IncomingMessage } from 'node:http'
import { createUpload } from '@cairn/protocol'

const named = ['PATCH', 'DELETE'] as const

/**
 * Returns the method of a request to an upload whose client cannot send `PATCH` or `DELETE`.
 * @see https://tus.io/protocols/resumable-upload#x-http-method-override
 */
export function readTusMethod({ method, url, headers }: IncomingMessage): (typeof named)[number] | undefined {
  if (method !== 'POST' || url?.startsWith(`${createUpload.path}/`) !== true) return undefined
  return named.find((one) => one === headers['x-http-method-override'])
}

import type { EIP1193RequestFn, HttpTransport, Transport } from 'viem'
import { loadCode } from '../parts/load-code.ts'

/**
 * Calls a chain over HTTP, as the transport of viem does. Its code, including all errors of chains, is loaded with the first
 * call, because most pages make none.
 */
export function httpTransport(url: string | undefined): Transport {
  return (options) => {
    let made: ReturnType<HttpTransport> | undefined
    const request: EIP1193RequestFn = async (question, how) => {
      made ??= (await loadCode(import('./make-http.ts'))).makeHttp(url, options)
      return made.request(question, how)
    }
    return { config: { key: 'http', name: 'HTTP JSON-RPC', type: 'http', request }, request, value: { url } }
  }
}

import { type HttpTransport, http } from 'viem'

type Made = ReturnType<HttpTransport>

/** Creates the transport that `httpTransport` stands in for until its first use. */
export function makeHttp(url: string | undefined, options: Parameters<HttpTransport>[0]): Made {
  return http(url)(options)
}

import { type HttpTransport, http } from 'viem'

type Made = ReturnType<HttpTransport>

/** Makes the transport that `httpTransport` stands for until it is used. */
export function makeHttp(url: string | undefined, options: Parameters<HttpTransport>[0]): Made {
  return http(url)(options)
}

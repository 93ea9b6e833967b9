import type { FastifyRequest } from 'fastify'
import type { GatewayRequest } from '../gateway.ts'
import { type HostSettings, readGatewayHost, readTarget } from './gateway-host.ts'

/** Reads what the gateway uses of a request. */
export function readRequest(hosts: HostSettings, request: FastifyRequest, signal: AbortSignal): GatewayRequest {
  const { headers, method = 'GET' } = request.raw
  const url = request.originalUrl
  const { path, search } = readTarget(url)
  return {
    method,
    host: readGatewayHost(request.raw, url, hosts),
    rawPath: path,
    search,
    query: new URLSearchParams(search),
    headers: {
      accept: headers.accept,
      range: headers.range,
      ifRange: typeof headers['if-range'] === 'string' ? headers['if-range'] : undefined,
      ifMatch: headers['if-match'],
      ifNoneMatch: headers['if-none-match'],
      cacheControl: headers['cache-control'],
      serviceWorker: headers['service-worker'],
    },
    address: request.ip,
    signal,
  }
}

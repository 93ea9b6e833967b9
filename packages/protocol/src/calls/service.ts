import * as v from 'valibot'
import { defineCall } from '../call.ts'
import { callTimeoutMs } from '../limits.ts'
import { networkProfileSchema } from '../networks/network-profile.ts'

/** `GET /.well-known/cairn.json`: returns the addresses of the services of this network. */
export const getNetworkProfile = defineCall({
  id: 'getNetworkProfile',
  method: 'GET',
  path: '/.well-known/cairn.json',
  host: 'api',
  tag: 'Service',
  summary: 'Get the network profile',
  auth: 'none',
  response: { kind: 'json', schema: networkProfileSchema },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /healthz`: the process is running. */
export const getHealth = defineCall({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  host: 'api',
  tag: 'Service',
  summary: 'Check that the process is running',
  auth: 'none',
  response: { kind: 'json', schema: v.object({ status: v.literal('ok') }) },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** An external system that the service depends on. Chain endpoints are identified by their position in the settings. */
const dependency = v.object({
  kind: v.string(),
  name: v.string(),
  endpoint: v.optional(v.number()),
  /** `unknown` until the first request. */
  state: v.picklist(['unknown', 'ok', 'failed']),
  /** Reason of the failure. */
  reason: v.optional(v.string()),
  /** Time since which it is in this state. */
  since: v.optional(v.number()),
  lastSuccessAt: v.optional(v.number()),
})

/** `GET /readyz`: database and object store answer, and the service is not shutting down. */
export const getReadiness = defineCall({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  host: 'api',
  tag: 'Service',
  summary: 'Check that the service is ready',
  description:
    '`parts` are required to serve requests. If one fails, the status is 503. With `for=reads`, which is meant for load balancers in front of the gateway, the status stays 200 while only the store of packs is unavailable, because cached content can be read, or while PostgreSQL only rejects writes. `dependencies` are chains, storage providers and key nodes. If one fails, `isDegraded` is true and the service continues with reduced functionality.',
  auth: 'none',
  query: v.object({
    /** `reads` ignores what only uploads need: the store of packs, and a database that accepts writes. */
    for: v.optional(v.picklist(['all', 'reads']), 'all'),
  }),
  response: {
    kind: 'json',
    schema: v.object({
      status: v.literal('ready'),
      version: v.string(),
      parts: v.record(v.string(), v.string()),
      isDegraded: v.optional(v.boolean(), false),
      dependencies: v.optional(v.array(dependency), []),
    }),
  },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/**
 * `GET /metrics`: metrics in the Prometheus text format. Every service serves its own, on a listener that is not
 * public.
 */
export const getMetrics = defineCall({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  host: 'metrics',
  tag: 'Service',
  summary: 'Get metrics for Prometheus',
  auth: 'none',
  response: { kind: 'text', mediaType: 'text/plain; version=0.0.4' },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /openapi.json`: returns this list of calls. */
export const getOpenApi = defineCall({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  host: 'api',
  tag: 'Service',
  summary: 'Get the OpenAPI document',
  auth: 'none',
  response: { kind: 'json', schema: v.looseObject({ openapi: v.string() }) },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

import * as v from 'valibot'
import { defineCall } from '../call.ts'
import { callTimeoutMs } from '../limits.ts'
import { networkProfileSchema } from '../network-profile.ts'

/** `GET /.well-known/cairn.json`: where this network's parts are. */
export const getNetworkProfile = defineCall({
  id: 'getNetworkProfile',
  method: 'GET',
  path: '/.well-known/cairn.json',
  host: 'api',
  tag: 'Service',
  summary: 'The profile of this network',
  auth: 'none',
  response: { kind: 'json', schema: networkProfileSchema },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /healthz`: the process runs. */
export const getHealth = defineCall({
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  host: 'api',
  tag: 'Service',
  summary: 'Whether the process runs',
  auth: 'none',
  response: { kind: 'json', schema: v.object({ status: v.literal('ok') }) },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** Something outside of the service that it works with. Endpoints of chains are told by their place in the settings. */
const dependency = v.object({
  kind: v.string(),
  name: v.string(),
  endpoint: v.optional(v.number()),
  /** `unknown` until it was asked. */
  state: v.picklist(['unknown', 'ok', 'failed']),
  /** Why it failed. */
  reason: v.optional(v.string()),
  /** Since when it is in this state. */
  since: v.optional(v.number()),
  lastSuccessAt: v.optional(v.number()),
})

/** `GET /readyz`: database and object store answer, and the service is not about to end. */
export const getReadiness = defineCall({
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  host: 'api',
  tag: 'Service',
  summary: 'Whether requests are taken',
  description:
    '`parts` are what requests need: one that fails is a 503. `dependencies` are chains, storage providers and key nodes: one that fails sets `isDegraded`, and the service goes on with what it can do.',
  auth: 'none',
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

/** `GET /metrics`: figures in Prometheus' text format. Every service serves its own, on a listener that is not public. */
export const getMetrics = defineCall({
  id: 'getMetrics',
  method: 'GET',
  path: '/metrics',
  host: 'metrics',
  tag: 'Service',
  summary: 'Metrics for Prometheus',
  auth: 'none',
  response: { kind: 'text', mediaType: 'text/plain; version=0.0.4' },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

/** `GET /openapi.json`: this list of calls. */
export const getOpenApi = defineCall({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  host: 'api',
  tag: 'Service',
  summary: 'The OpenAPI document',
  auth: 'none',
  response: { kind: 'json', schema: v.looseObject({ openapi: v.string() }) },
  errors: [],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs },
  idempotent: true,
})

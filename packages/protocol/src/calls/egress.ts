import * as v from 'valibot'
import { authErrors, defineCall } from '../call.ts'
import { callTimeoutMs } from '../limits.ts'

/** Maximum number of days in a list of sent bytes. */
const maxEgressDays = 400
const defaultEgressDays = 30

/** `GET /api/user/egress`: returns the bytes that the gateway sent of the content of the account, by day. */
export const getEgress = defineCall({
  id: 'getEgress',
  method: 'GET',
  path: '/api/user/egress',
  host: 'api',
  tag: 'Payments',
  summary: 'Get the bytes that the gateway sent of your content',
  description:
    'Returns bytes per day (UTC), oldest first; days without traffic are omitted. Headers count too. Content that several accounts store counts for each of them. Traffic of other gateways is not included.',
  auth: 'apiKey',
  scope: 'files:read',
  query: v.object({
    days: v.optional(
      v.pipe(v.string(), v.regex(/^\d{1,3}$/), v.transform(Number), v.minValue(1), v.maxValue(maxEgressDays)),
      String(defaultEgressDays),
    ),
  }),
  response: {
    kind: 'json',
    schema: v.object({ days: v.array(v.object({ day: v.string(), bytes: v.number() })) }),
  },
  errors: [...authErrors],
  dialect: 'api',
  limits: { timeoutMs: callTimeoutMs, perMinute: 120 },
  idempotent: true,
})

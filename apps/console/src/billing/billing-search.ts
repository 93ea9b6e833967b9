import * as v from 'valibot'

/** Search parameters of /billing. `add`: missing bytes, the initial size. */
export const billingSearchSchema = v.object({
  add: v.fallback(v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))), undefined),
})

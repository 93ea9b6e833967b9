import * as v from 'valibot'

/** Search parameters of /storage. `add`: missing bytes, the initial size. */
export const storageSearchSchema = v.object({
  add: v.fallback(v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))), undefined),
})

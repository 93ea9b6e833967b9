import * as v from 'valibot'

/** What the address of /storage says beside its path. `add`: bytes that are missing somewhere, to begin with. */
export const storageSearchSchema = v.object({
  add: v.fallback(v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))), undefined),
})

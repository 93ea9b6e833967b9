import * as v from 'valibot'

/** What the address of the page about access says: whether sharing is what its reader came for. */
export const accessSearchSchema = v.object({
  share: v.optional(v.fallback(v.optional(v.boolean()), undefined)),
})

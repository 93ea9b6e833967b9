import * as v from 'valibot'

/** Search parameters of the shared files: the role of the user. */
export const sharedSearchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(['me'])), undefined)),
})

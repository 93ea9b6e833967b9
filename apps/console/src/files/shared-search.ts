import * as v from 'valibot'

/** What the address of the shared files says: whose files are shown. */
export const sharedSearchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(['me'])), undefined)),
})

import * as v from 'valibot'

/** Search parameters of the shared files: the role of the user, or the address book. */
export const sharedSearchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(['me', 'contacts'])), undefined)),
})

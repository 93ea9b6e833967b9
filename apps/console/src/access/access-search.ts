import * as v from 'valibot'

/** Search parameters of the access page: whether to open the share dialog. */
export const accessSearchSchema = v.object({
  share: v.optional(v.fallback(v.optional(v.boolean()), undefined)),
})

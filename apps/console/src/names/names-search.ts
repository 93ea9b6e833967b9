import * as v from 'valibot'

/** Search parameters of /names. `publish`: a CID to choose a name for. */
export const namesSearchSchema = v.object({
  publish: v.fallback(v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{8,128}$/))), undefined),
})

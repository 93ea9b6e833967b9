import * as v from 'valibot'

/** What the address of /names says beside its path. `publish`: a CID that a name is chosen for. */
export const namesSearchSchema = v.object({
  publish: v.fallback(v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{8,128}$/))), undefined),
})

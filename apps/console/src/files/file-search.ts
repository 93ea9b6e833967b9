import * as v from 'valibot'

export const fileTabs = ['preview', 'details', 'access', 'proofs', 'names'] as const

/** Search parameters of one file: the open tab, and whether the user followed a link to share. */
export const fileSearchSchema = v.object({
  tab: v.optional(v.fallback(v.optional(v.picklist(fileTabs)), undefined)),
  share: v.optional(v.fallback(v.optional(v.boolean()), undefined)),
})

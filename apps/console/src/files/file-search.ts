import * as v from 'valibot'

export const fileTabs = ['preview', 'details', 'access', 'proofs', 'names'] as const

/** What the address of one file says: which of its tabs is open. */
export const fileSearchSchema = v.object({
  tab: v.optional(v.fallback(v.optional(v.picklist(fileTabs)), undefined)),
})

import * as v from 'valibot'

/** Kinds of events that the page filters by. */
export const eventGroups = ['files', 'sharing', 'payments', 'proofs', 'account'] as const
export type EventGroup = (typeof eventGroups)[number]

/** Search parameters of the activity: the kind of events. */
export const activitySearchSchema = v.object({
  show: v.optional(v.fallback(v.optional(v.picklist(eventGroups)), undefined)),
})

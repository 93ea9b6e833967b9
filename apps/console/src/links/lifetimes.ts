const dayMs = 86_400_000

/** How long a link may last, in ms. */
export const lifetimesMs = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, year: 365 * dayMs }
export type Lifetime = keyof typeof lifetimesMs
export const lifetimes: readonly Lifetime[] = ['day', 'week', 'month', 'year']

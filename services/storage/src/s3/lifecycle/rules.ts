import * as v from 'valibot'
import { createLruCache } from '../../lru-cache.ts'
import { infoOf, type Tag } from '../objects/object-info.ts'
import type { ObjectRow } from '../store.ts'

/**
 * A lifecycle rule of a bucket: which objects it covers, and what happens to them. Times follow S3: days are counted from the
 * creation and rounded up to the next midnight UTC, and are dates in ms since 1970 otherwise.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
 */
const ruleSchema = v.object({
  id: v.string(),
  isEnabled: v.boolean(),
  /** Whether the prefix was sent in a filter, as newer clients do. */
  hasFilter: v.boolean(),
  prefix: v.string(),
  tags: v.array(v.object({ key: v.string(), value: v.string() })),
  /** Covers objects of more bytes. */
  largerThan: v.optional(v.number()),
  /** Covers objects of fewer bytes. */
  smallerThan: v.optional(v.number()),
  /** Deletes the latest version. */
  days: v.optional(v.number()),
  date: v.optional(v.number()),
  /** Removes a delete marker that hides no version. */
  removesMarkers: v.optional(v.boolean()),
  /** Removes versions that are not the latest, this many days after the next one replaced them. */
  earlierDays: v.optional(v.number()),
  /** Keeps this many of them. */
  earlierKept: v.optional(v.number()),
  /** Aborts multipart uploads. */
  abortDays: v.optional(v.number()),
})

export type LifecycleRule = v.InferOutput<typeof ruleSchema>

const rulesSchema = v.array(ruleSchema)

/** Rules by their text, up to some characters of it: each request for an object needs them, and a thousand take over a millisecond. */
const parsed = createLruCache<readonly LifecycleRule[]>(16 * 1024 * 1024)

/** Reads the rules of a bucket's row. */
export function readLifecycleRules(json: string | null): readonly LifecycleRule[] {
  if (json === null) return []
  const known = parsed.get(json)
  if (known !== undefined) return known
  const rules = v.parse(rulesSchema, JSON.parse(json))
  parsed.set(json, rules, json.length)
  return rules
}

const dayMs = 24 * 60 * 60_000

/** Returns the midnight UTC at or after a time, in ms since 1970. */
export function midnightAfter(ms: number): number {
  return Math.ceil(ms / dayMs) * dayMs
}

/** Returns the last midnight UTC, in ms since 1970: rules take effect at midnight. */
export function lastMidnight(now: number): number {
  return Math.floor(now / dayMs) * dayMs
}

/** An object as rules see it. */
export type Covered = { key: string; sizeBytes: number; tags: readonly Tag[] }

export function coveredOf(row: ObjectRow): Covered {
  const { tags } = infoOf({ headers: '{}', metadata: '{}', tags: row.tags })
  return { key: row.key, sizeBytes: row.size_bytes, tags }
}

/** Returns whether an enabled rule covers an object. */
export function covers(rule: LifecycleRule, { key, sizeBytes, tags }: Covered): boolean {
  return (
    coversKey(rule, key) &&
    (rule.largerThan === undefined || sizeBytes > rule.largerThan) &&
    (rule.smallerThan === undefined || sizeBytes < rule.smallerThan) &&
    rule.tags.every(({ key: name, value }) => tags.some((tag) => tag.key === name && tag.value === value))
  )
}

/** Returns whether an enabled rule covers a key, whatever the object is. */
export function coversKey(rule: LifecycleRule, key: string): boolean {
  return rule.isEnabled && key.startsWith(rule.prefix)
}

/** Returns whether a rule covers all objects under its prefix. */
export function coversAll({ tags, largerThan, smallerThan }: LifecycleRule): boolean {
  return tags.length === 0 && largerThan === undefined && smallerThan === undefined
}

/** Returns when a rule deletes an object that was created at a time, while it is the latest version; undefined if never. */
export function expiryOf({ days, date }: LifecycleRule, createdAt: number): number | undefined {
  return days === undefined ? date : midnightAfter(createdAt + days * dayMs)
}

/** Returns when a rule removes a version that another one replaced at a time; undefined if never. */
export function earlierExpiryOf({ earlierDays }: LifecycleRule, replacedAt: number): number | undefined {
  return earlierDays === undefined ? undefined : midnightAfter(replacedAt + earlierDays * dayMs)
}

/** Returns when a rule aborts a multipart upload; undefined if never. */
export function abortTimeOf({ abortDays }: LifecycleRule, createdAt: number): number | undefined {
  return abortDays === undefined ? undefined : midnightAfter(createdAt + abortDays * dayMs)
}

/** Returns the header that says when the latest version is deleted, and by which rule; nothing if none deletes it. */
export function expirationHeader(
  rules: readonly LifecycleRule[],
  object: Covered,
  createdAt: number,
): Record<string, string> {
  let first: { at: number; id: string } | undefined
  for (const rule of rules) {
    const at = covers(rule, object) ? expiryOf(rule, createdAt) : undefined
    if (at !== undefined && (first === undefined || at < first.at)) first = { at, id: rule.id }
  }
  if (first === undefined) return {}
  const date = new Date(first.at).toUTCString()
  return { 'x-amz-expiration': `expiry-date="${date}", rule-id="${encodeURIComponent(first.id)}"` }
}

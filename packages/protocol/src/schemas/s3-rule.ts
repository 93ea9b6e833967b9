import * as v from 'valibot'

/** Name of a bucket: 3 to 63 lower-case letters, digits, hyphens and dots, as S3 has it. */
export const bucketNamePattern =
  /^(?!\d+\.\d+\.\d+\.\d+$)(?!xn--)[a-z0-9](?:[a-z0-9]|[.-](?=[a-z0-9])|-(?=-)){1,61}[a-z0-9]$/

/** The access of an S3 access key to the keys of a bucket that start with a prefix. */
export const s3RuleSchema = v.object({
  /** Name of a bucket, or `*` for all of the account. */
  bucket: v.union([v.literal('*'), v.pipe(v.string(), v.regex(bucketNamePattern, 'must be the name of a bucket'))]),
  /** Start of the keys; empty for all. */
  prefix: v.optional(v.pipe(v.string(), v.maxLength(1024)), ''),
  access: v.picklist(['read', 'read-write']),
})

/** One rule of an access key of S3. */
export type S3Rule = v.InferOutput<typeof s3RuleSchema>

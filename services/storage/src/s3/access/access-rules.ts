import type { S3Rule, Scope } from '@cairn/protocol'
import { s3Error } from '../s3-error.ts'

/** Rights of an access key. */
export type S3Rights = { scopes: readonly Scope[]; rules: readonly S3Rule[] }

type Access = 'read' | 'write'

/**
 * Requires a right to keys of a bucket. A rule allows all keys that start with its prefix. Without rules everything is allowed.
 * @param prefix start of the keys; empty for the bucket as a whole
 * @throws CairnError `AccessDenied`
 */
export function requireRight({ scopes, rules }: S3Rights, access: Access, bucket: string, prefix: string): void {
  if (!scopes.includes(access === 'read' ? 'files:read' : 'files:write')) throw s3Error('AccessDenied')
  if (rules.length === 0) return
  const isAllowed = rules.some(
    (rule) =>
      (rule.bucket === '*' || rule.bucket === bucket) &&
      prefix.startsWith(rule.prefix) &&
      (access === 'read' || rule.access === 'read-write'),
  )
  if (!isAllowed) throw s3Error('AccessDenied')
}

/** Returns whether the access key may see a bucket. */
export function canSeeBucket({ rules }: S3Rights, bucket: string): boolean {
  return rules.length === 0 || rules.some((rule) => rule.bucket === '*' || rule.bucket === bucket)
}

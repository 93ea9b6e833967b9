import type { ObjectRow } from '../../object-versions/object-versions.ts'
import { s3Error } from '../s3-error.ts'

/** The state that conditions are checked against. */
export type Validators = { etag: string; createdAt: number }

/** Conditions of a request, or of the source of a copy. */
export type Conditions = {
  ifMatch: string | undefined
  ifNoneMatch: string | undefined
  ifModifiedSince: string | undefined
  ifUnmodifiedSince: string | undefined
}

/** Empty conditions. */
export const unconditional: Conditions = {
  ifMatch: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
}

/** @param prefix `x-amz-copy-source-` for those of the source of a copy */
export function readConditions(header: (name: string) => string | undefined, prefix = ''): Conditions {
  return {
    ifMatch: header(`${prefix}if-match`),
    ifNoneMatch: header(`${prefix}if-none-match`),
    ifModifiedSince: header(`${prefix}if-modified-since`),
    ifUnmodifiedSince: header(`${prefix}if-unmodified-since`),
  }
}

/**
 * Checks the conditions of a read against an object. A date is ignored if an ETag condition of the same kind is present.
 * @returns whether the client's copy is current
 * @throws CairnError `PreconditionFailed`
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-precedence-of-preconditions
 */
export function isUnchanged(conditions: Conditions, { etag, createdAt }: Validators): boolean {
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = conditions
  const changedAt = Math.floor(createdAt / 1000) * 1000
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, etag)) throw s3Error('PreconditionFailed', undefined, { Condition: 'If-Match' })
  } else if (changedAt > Date.parse(ifUnmodifiedSince ?? '')) {
    throw s3Error('PreconditionFailed', undefined, { Condition: 'If-Unmodified-Since' })
  }
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, etag)
  return changedAt <= Date.parse(ifModifiedSince ?? '')
}

/** Returns whether {@link requireWritable} can reject anything. */
export function hasWriteCondition({ ifMatch, ifNoneMatch }: Conditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined
}

/**
 * Checks the conditions of a write against the current object.
 * @throws CairnError `PreconditionFailed`; `NoSuchKey` if the condition requires an object and none exists
 */
export function requireWritable({ ifMatch, ifNoneMatch }: Conditions, current: { etag: string } | undefined): void {
  if (ifMatch !== undefined) {
    if (current === undefined) throw s3Error('NoSuchKey')
    if (!matches(ifMatch, current.etag)) throw s3Error('PreconditionFailed', undefined, { Condition: 'If-Match' })
  }
  if (ifNoneMatch !== undefined && current !== undefined && matches(ifNoneMatch, current.etag)) {
    throw s3Error('PreconditionFailed', undefined, { Condition: 'If-None-Match' })
  }
}

/** Conditions of a deletion. */
export type DeleteConditions = {
  ifMatch: string | undefined
  /** Time as a date, to the second. */
  lastModified: string | undefined
  /** Size in bytes, as decimal text. */
  size: string | undefined
}

/**
 * Checks the conditions of a deletion against the current object. Time and size are met if there is no object.
 * @throws CairnError `PreconditionFailed`, `NoSuchKey`, `InvalidArgument`
 */
export function requireDeletable(
  { ifMatch, lastModified, size }: DeleteConditions,
  current: Pick<ObjectRow, 'etag' | 'created_at' | 'size_bytes'> | undefined,
): void {
  requireWritable({ ...unconditional, ifMatch }, current)
  const changedAt = lastModified === undefined ? undefined : Date.parse(lastModified)
  if (Number.isNaN(changedAt)) throw s3Error('InvalidArgument', 'The last modified time must be a date.')
  if (size !== undefined && !/^\d{1,15}$/.test(size))
    throw s3Error('InvalidArgument', 'The size must be a whole number.')
  if (current === undefined) return
  const second = (ms: number) => Math.floor(ms / 1000)
  if (changedAt !== undefined && second(changedAt) !== second(current.created_at)) {
    throw s3Error('PreconditionFailed', undefined, { Condition: 'x-amz-if-match-last-modified-time' })
  }
  if (size !== undefined && Number(size) !== current.size_bytes) {
    throw s3Error('PreconditionFailed', undefined, { Condition: 'x-amz-if-match-size' })
  }
}

function matches(list: string, etag: string): boolean {
  return list.split(',').some((one) => {
    const tag = one
      .trim()
      .replace(/^W\//, '')
      .replace(/^"(.*)"$/, '$1')
    return tag === '*' || tag === etag
  })
}

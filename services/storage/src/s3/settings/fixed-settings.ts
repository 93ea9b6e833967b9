import { readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, maxXmlBytes, type S3Call, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { type S3Code, s3Error } from '../s3-error.ts'
import { updateBucket } from '../store.ts'
import { type ReadElement, readXml } from '../xml/read-xml.ts'
import type { XmlRecord } from '../xml/write-xml.ts'

/**
 * Settings of a bucket that have one value here. Tools read them before they change anything, and expect the value, or the code of
 * a setting that was never made: `NotImplemented` stops them. Any other value is rejected.
 */

/** An operation that reads a setting which no bucket has, and answers as S3 does for a bucket without it. */
export function absentSetting(code: S3Code): S3Operation {
  return async (call) => {
    await authorize(call, 'read')
    throw s3Error(code)
  }
}

/** An operation that removes a setting which no bucket has. As in S3, that succeeds. */
export const removeAbsentSetting: S3Operation = async (call) => {
  await authorize(call, 'write')
  return emptyAnswer(204)
}

/** A setting with its only value. */
type FixedSetting = {
  root: string
  value: XmlRecord
  /** Whether a document has this value. */
  isValue(document: ReadElement): boolean
  /** Reads of the setting answer with the code after a client removed it, until one writes it again. The value remains. */
  removed?: { column: 'no_public_access_block' | 'no_ownership_controls'; code: S3Code }
}

/** An operation that reads a setting. */
export function readFixed({ root, value, removed }: FixedSetting): S3Operation {
  return async (call) => {
    const bucket = await authorize(call, 'read')
    if (removed !== undefined && bucket[removed.column] === 1) throw s3Error(removed.code)
    return xmlAnswer(root, value)
  }
}

/** An operation that writes a setting: only the value that it has. */
export function writeFixed({ root, isValue, removed }: FixedSetting): S3Operation {
  return async (call) => {
    const bucket = await authorize(call, 'write')
    const document = readXml(await readSmallBody(call.body, maxXmlBytes), root)
    if (!isValue(document)) throw s3Error('NotImplemented', `Another ${root} is not supported.`)
    if (removed !== undefined && bucket[removed.column] === 1) await change(call, { [removed.column]: null })
    return emptyAnswer(200)
  }
}

/** An operation that removes a setting. Terraform waits until a read no longer finds it. */
export function removeFixed({ removed }: Required<FixedSetting>): S3Operation {
  return async (call) => {
    await authorize(call, 'write')
    await change(call, { [removed.column]: 1 })
    return emptyAnswer(204)
  }
}

async function change({ context, caller, request }: S3Call, values: Parameters<typeof updateBucket>[2]): Promise<void> {
  await context.db.write((trx) => updateBucket(trx, { address: caller.address, name: request.bucket }, values))
}

const publicAccess = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets']
const isEmpty = ({ childNames }: ReadElement): boolean => childNames.length === 0

/** No request without a signature of the account reads a bucket. */
export const publicAccessBlock: Required<FixedSetting> = {
  root: 'PublicAccessBlockConfiguration',
  value: Object.fromEntries(publicAccess.map((name) => [name, 'true'])),
  isValue: (document) => publicAccess.every((name) => document.textOf(name) === 'true'),
  removed: { column: 'no_public_access_block', code: 'NoSuchPublicAccessBlockConfiguration' },
}

/** No ACL grants access to others. */
export const ownershipControls: Required<FixedSetting> = {
  root: 'OwnershipControls',
  value: { Rule: { ObjectOwnership: 'BucketOwnerEnforced' } },
  isValue: (document) =>
    document.all('Rule').every((rule) => rule.textOf('ObjectOwnership') === 'BucketOwnerEnforced') &&
    document.all('Rule').length === 1,
  removed: { column: 'no_ownership_controls', code: 'OwnershipControlsNotFoundError' },
}

/** The account pays for what others download through links. */
export const requestPayment: FixedSetting = {
  root: 'RequestPaymentConfiguration',
  value: { Payer: 'BucketOwner' },
  isValue: (document) => document.textOf('Payer') === 'BucketOwner',
}

/** Not available, which S3 writes as an empty document, or as suspended. */
export const accelerate: FixedSetting = {
  root: 'AccelerateConfiguration',
  value: {},
  isValue: (document) => document.textOf('Status') === 'Suspended',
}

/** Requests are in the operator's log only. */
export const logging: FixedSetting = { root: 'BucketLoggingStatus', value: {}, isValue: isEmpty }

/** Events of the account have calls of their own. */
export const notification: FixedSetting = { root: 'NotificationConfiguration', value: {}, isValue: isEmpty }

import { readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, maxXmlBytes, type S3Operation, xmlAnswer } from '../s3-call.ts'
import { type S3Code, s3Error } from '../s3-error.ts'
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
}

/** An operation that reads a setting. */
export function readFixed({ root, value }: FixedSetting): S3Operation {
  return async (call) => {
    await authorize(call, 'read')
    return xmlAnswer(root, value)
  }
}

/** An operation that writes a setting: only the value that it has. */
export function writeFixed({ root, isValue }: FixedSetting): S3Operation {
  return async (call) => {
    await authorize(call, 'write')
    const document = readXml(await readSmallBody(call.body, maxXmlBytes), root)
    if (!isValue(document)) throw s3Error('NotImplemented', `Another ${root} is not supported.`)
    return emptyAnswer(200)
  }
}

const publicAccess = ['BlockPublicAcls', 'IgnorePublicAcls', 'BlockPublicPolicy', 'RestrictPublicBuckets']
const isEmpty = ({ childNames }: ReadElement): boolean => childNames.length === 0

/** No request without a signature of the account reads a bucket. */
export const publicAccessBlock: FixedSetting = {
  root: 'PublicAccessBlockConfiguration',
  value: Object.fromEntries(publicAccess.map((name) => [name, 'true'])),
  isValue: (document) => publicAccess.every((name) => document.textOf(name) === 'true'),
}

/** No ACL grants access to others. */
export const ownershipControls: FixedSetting = {
  root: 'OwnershipControls',
  value: { Rule: { ObjectOwnership: 'BucketOwnerEnforced' } },
  isValue: (document) =>
    document.all('Rule').every((rule) => rule.textOf('ObjectOwnership') === 'BucketOwnerEnforced') &&
    document.all('Rule').length === 1,
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

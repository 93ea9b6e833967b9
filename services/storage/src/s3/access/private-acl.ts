import type { CairnError } from '@cairn/protocol'
import { s3Error } from '../s3-error.ts'
import type { S3Request } from '../s3-request.ts'

const privateAcls = ['private', 'bucket-owner-full-control', 'bucket-owner-read']
const grantHeaders = ['read', 'write', 'read-acp', 'write-acp', 'full-control'].map((right) => `x-amz-grant-${right}`)

/** @throws CairnError `AccessControlListNotSupported`, `NotImplemented` for headers that grant access to others */
export function requirePrivateAcl({ header }: Pick<S3Request, 'header'>): void {
  const grant = grantHeaders.find((name) => header(name) !== undefined)
  if (grant !== undefined) throw s3Error('NotImplemented', `The header ${grant} is not supported.`)
  const acl = header('x-amz-acl')
  if (acl !== undefined && !privateAcls.includes(acl)) throw publicAcl()
}

/** The error for an ACL that grants access to others. */
export function publicAcl(): CairnError {
  return s3Error('AccessControlListNotSupported', 'Only the ACL private is supported. Content is public by its CID.')
}

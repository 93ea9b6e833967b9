import { publicAcl, requirePrivateAcl } from '../access/private-acl.ts'
import { requireObject } from '../objects/objects.ts'
import { readSmallBody } from '../read-body.ts'
import { authorize, emptyAnswer, maxXmlBytes, type S3Call, type S3Operation, textAnswer } from '../s3-call.ts'
import { readVersionId } from '../s3-request.ts'
import { ownerXml } from '../xml/elements.ts'
import { type ReadElement, readXml } from '../xml/read-xml.ts'
import { writeXml } from '../xml/write-xml.ts'

const granteeType = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"'

/** Only the owner has access to objects and buckets. */
export const getAcl: S3Operation = async (call) => {
  await authorize(call, 'read')
  await requireTarget(call)
  const owner = ownerXml(call.caller.address)
  const grant = { Grantee: owner, Permission: 'FULL_CONTROL' }
  const xml = writeXml('AccessControlPolicy', { Owner: owner, AccessControlList: { Grant: grant } })
  // The only attribute in the ACL document.
  return textAnswer(xml.replace('<Grantee>', `<Grantee ${granteeType}>`))
}

/** Accepts only the private ACL. */
export const putAcl: S3Operation = async (call) => {
  await authorize(call, 'write')
  const bytes = await readSmallBody(call.body, maxXmlBytes)
  await requireTarget(call)
  requirePrivateAcl(call.request)
  if (call.request.header('x-amz-acl') === undefined)
    requireOwnGrants(readXml(bytes, 'AccessControlPolicy'), call.caller.address)
  return emptyAnswer(200)
}

function requireOwnGrants(policy: ReadElement, address: string): void {
  const grants = policy.all('AccessControlList').flatMap((list) => list.all('Grant'))
  const isOwn = (grant: ReadElement) => grant.all('Grantee')[0]?.textOf('ID') === address
  if (!grants.every(isOwn)) throw publicAcl()
}

/** Requires the object of a request, unless it names a bucket. @throws CairnError as `requireObject` */
async function requireTarget({ context, request }: S3Call): Promise<void> {
  if (request.key !== '') await requireObject(context.db.read, request, readVersionId(request.query))
}

import { createHmac } from 'node:crypto'
import { s3Error } from '../s3-error.ts'
import { createSigner, isSameSignature } from './signing-key.ts'
import { algorithm, maxSkewMs, readCredential, readTime, type VerifyOptions } from './verify-request.ts'

/**
 * Verifies the signature of a form's policy. Accepts Signature V4, and V2, which boto3 uses for forms by default: the policy that it
 * signs has an expiry and no secret, so it is not weaker for the service.
 * @param fields values by lower-case name
 * @throws CairnError `AccessDenied`, `InvalidArgument`, `AuthorizationHeaderMalformed`, `RequestTimeTooSkewed`,
 *   `SignatureDoesNotMatch`, and what `find` throws
 */
export async function verifyPolicy<Credential extends { secretAccessKeys: readonly string[] }>(
  fields: ReadonlyMap<string, string>,
  { region, now, find }: VerifyOptions<Credential>,
): Promise<Credential> {
  const policy = fields.get('policy')
  if (policy === undefined) throw s3Error('AccessDenied', 'The form has no policy, and anonymous uploads are refused.')
  const accessKeyId = fields.get('awsaccesskeyid')
  if (accessKeyId !== undefined) {
    const signature = requireField(fields, 'signature')
    const credential = await find(accessKeyId)
    const isRight = credential.secretAccessKeys.some((secret) =>
      isSameSignature(signature, createHmac('sha1', secret).update(policy).digest('base64')),
    )
    if (!isRight) throw s3Error('SignatureDoesNotMatch')
    return credential
  }
  if (requireField(fields, 'x-amz-algorithm') !== algorithm) {
    throw s3Error('InvalidArgument', `x-amz-algorithm must be ${algorithm}.`)
  }
  const claim = readCredential(requireField(fields, 'x-amz-credential'))
  const signature = requireField(fields, 'x-amz-signature')
  const signedAt = readTime(requireField(fields, 'x-amz-date'))
  if (signedAt === undefined || !(fields.get('x-amz-date') ?? '').startsWith(claim.date)) {
    throw s3Error('AuthorizationHeaderMalformed', 'The date of the credential does not match the field x-amz-date.')
  }
  if (signedAt - now > maxSkewMs) throw s3Error('RequestTimeTooSkewed')
  if (claim.region !== region) {
    const message = `The region '${claim.region}' is wrong; expecting '${region}'.`
    throw s3Error('AuthorizationHeaderMalformed', message, { Region: region })
  }
  const credential = await find(claim.accessKeyId)
  const isRight = credential.secretAccessKeys.some((secret) =>
    isSameSignature(signature, createSigner(secret, claim).signText(policy)),
  )
  if (!isRight) throw s3Error('SignatureDoesNotMatch')
  return credential
}

function requireField(fields: ReadonlyMap<string, string>, name: string): string {
  const value = fields.get(name)
  if (value === undefined) throw s3Error('InvalidArgument', `Bucket POST must contain a field named '${name}'.`)
  return value
}

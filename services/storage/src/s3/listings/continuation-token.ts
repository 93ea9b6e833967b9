import { s3Error } from '../s3-error.ts'

/** Returns a token from which a listing continues after a name. */
export function writeToken(key: string): string {
  return Buffer.from(key).toString('base64url')
}

/** @throws CairnError `InvalidArgument` */
export function readToken(token: string): string {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.toString('base64url') !== token || bytes.includes(0))
    throw s3Error('InvalidArgument', 'The continuation token provided is incorrect')
  return bytes.toString()
}

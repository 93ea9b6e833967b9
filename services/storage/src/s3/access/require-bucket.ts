import type { Context } from '../../context.ts'
import { s3Error } from '../s3-error.ts'
import { type BucketRow, selectBucket } from '../store.ts'
import type { S3Rights } from './access-rules.ts'

/** A caller: the account of the access key, and its rights. */
export type S3Caller = S3Rights & { address: string }

/** Returns a bucket of the caller. @throws CairnError `NoSuchBucket`, `AccessDenied` for another account's bucket */
export async function requireBucket({ db }: Pick<Context, 'db'>, caller: S3Caller, name: string): Promise<BucketRow> {
  const row = await selectBucket(db.read, name)
  if (row === undefined) throw s3Error('NoSuchBucket', undefined, { BucketName: name })
  if (row.address !== caller.address) throw s3Error('AccessDenied')
  return row
}

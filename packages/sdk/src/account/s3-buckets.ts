import {
  getS3Bucket as getS3BucketCall,
  publishS3Bucket as publishS3BucketCall,
  type S3BucketState,
  unpublishS3Bucket as unpublishS3BucketCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/**
 * Returns the name that a bucket of the account is published under, and the CID that it points to.
 * @throws CairnError NO_API_KEY, UNAUTHENTICATED, NOT_FOUND
 */
export function getS3Bucket(client: Client, bucket: string, options?: CallOptions): Promise<S3BucketState> {
  return call(client, getS3BucketCall, { params: { bucket } }, options)
}

/**
 * Publishes a bucket of the account as a folder under a name. From then on, the service publishes each change of its objects.
 * @throws CairnError NO_API_KEY, UNAUTHENTICATED, NOT_FOUND, NAME_LIMIT, QUOTA_EXCEEDED
 */
export function publishS3Bucket(client: Client, bucket: string, options?: CallOptions): Promise<S3BucketState> {
  return call(client, publishS3BucketCall, { params: { bucket } }, options)
}

/**
 * Stops publishing a bucket. The account keeps its name.
 * @throws CairnError NO_API_KEY, UNAUTHENTICATED, NOT_FOUND
 */
export function unpublishS3Bucket(client: Client, bucket: string, options?: CallOptions): Promise<S3BucketState> {
  return call(client, unpublishS3BucketCall, { params: { bucket } }, options)
}

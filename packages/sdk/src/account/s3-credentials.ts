import { createS3Credentials as createS3CredentialsCall, type S3Credentials, type S3Rule } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'

/** What an access key may do with the keys of a bucket that start with a prefix. */
export type S3RuleInput = Pick<S3Rule, 'bucket' | 'access'> & {
  /** Defaults to all keys. */
  prefix?: string
}

/**
 * Creates an access key for the S3 API. It has the rights of the client's API key, and expires with it. The secret
 * is not shown again.
 * @param rules limits of the key; without rules, it can access all buckets of the account
 * @throws CairnError NO_API_KEY, UNAUTHENTICATED, NOT_SUPPORTED (the network serves no S3 API)
 */
export function createS3Credentials(
  client: Client,
  rules: readonly S3RuleInput[] = [],
  options?: CallOptions,
): Promise<S3Credentials> {
  return call(client, createS3CredentialsCall, { body: { rules: [...rules] } }, options)
}

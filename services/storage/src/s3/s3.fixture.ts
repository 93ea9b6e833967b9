import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { S3Rule, Scope } from '@cairn/protocol'
import { startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { createS3Credential } from './s3.ts'

/** An access key pair, in the format of clients. */
export type S3Keys = { accessKeyId: string; secretAccessKey: string }

/** A complete service with its S3 API, and the official client for it. */
export type TestS3 = TestStorage & {
  endpoint: string
  keys: S3Keys
  client: S3Client
  /** Address of the account that `keys` belongs to. */
  address: string
  /** Returns keys of another account, or with fewer rights. */
  createKeys(options?: {
    rules?: S3Rule[]
    scopes?: readonly Scope[]
    apiKey?: string
  }): Promise<S3Keys & { apiKey: string }>
  createClient(keys: S3Keys, config?: S3ClientConfig): S3Client
}

export async function startTestS3(environment: Record<string, string> = {}): Promise<TestS3> {
  const storage = await startTestStorage({ CAIRN_S3_API_PORT: '0', ...environment })
  const endpoint = storage.profile.s3?.endpoint ?? ''
  const clients: S3Client[] = []
  const createKeys: TestS3['createKeys'] = async ({ rules = [], scopes, apiKey } = {}) => {
    const key = apiKey ?? (await storage.createKey(undefined, scopes === undefined ? {} : { scopes }))
    const [, keyId = ''] = key.split('_')
    const { address } = await storage.context.db.read
      .selectFrom('api_key')
      .select('address')
      .where('id', '=', keyId)
      .executeTakeFirstOrThrow()
    return { ...(await createS3Credential(storage.context, { address, keyId }, rules)), apiKey: key }
  }
  const createClient: TestS3['createClient'] = (credentials, config = {}) => {
    const client = new S3Client({
      endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
      maxAttempts: 1,
      ...config,
    })
    clients.push(client)
    return client
  }
  const keys = await createKeys()
  const { address } = await storage.context.db.read
    .selectFrom('s3_credential')
    .select('address')
    .where('id', '=', keys.accessKeyId)
    .executeTakeFirstOrThrow()
  return {
    ...storage,
    endpoint,
    keys,
    address,
    client: createClient(keys),
    createKeys,
    createClient,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await storage[Symbol.asyncDispose]()
    },
  }
}

/** Returns the code and the status of a refused call, or `done`. */
export function refused(work: Promise<unknown>): Promise<'done' | [code: string, status: number]> {
  return work.then(
    () => 'done',
    (error: { name: string; $metadata: { httpStatusCode: number } }) => [error.name, error.$metadata.httpStatusCode],
  )
}

import type { ObjectStore } from '../objects.ts'
import type { S3Settings } from '../s3-settings.ts'
import { defaultLimits } from './s3-bucket.ts'
import { type S3Proxy, startS3Proxy } from './s3-proxy.fixture.ts'
import { type S3Server, startS3Server } from './s3-server.fixture.ts'
import { openS3Store, type S3StoreOptions } from './s3-store.ts'

/** A server, a faulty proxy in front of it, and stores that reach the server through the proxy. */
export type S3Place = AsyncDisposable & {
  readonly server: S3Server
  readonly proxy: S3Proxy
  readonly settings: S3Settings
  /** Opens a store; disposal closes it if the test has not. */
  open(options?: S3StoreOptions, settings?: Partial<S3Settings>): Promise<ObjectStore>
}

/** Starts server and proxy. */
export async function createS3Place(): Promise<S3Place> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startS3Server())
  const proxy = stack.use(await startS3Proxy(server.url))
  const { accessKeyId, secretAccessKey, region } = server.account
  const settings: S3Settings = {
    bucket: server.bucket,
    prefix: 'one/network/',
    endpoint: proxy.url,
    region,
    isPathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    encryption: undefined,
    storageClass: undefined,
  }
  const owned = stack.move()
  return {
    server,
    proxy,
    settings,
    async open(options = {}, changed = {}) {
      const store = await openS3Store({ ...settings, ...changed }, { limits: defaultLimits, ...options })
      let closing: Promise<void> | undefined
      const close = () => (closing ??= store.close())
      owned.defer(close)
      return { ...store, close }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

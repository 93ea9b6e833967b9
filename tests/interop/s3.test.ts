// The store of packs on an S3 server of another maker.
import { randomBytes, randomUUID } from 'node:crypto'
import { CairnError, MIB } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectSuite } from '../../packages/service/src/objects/objects.suite.ts'
import { startFaultyProxy } from '../../packages/service/src/objects/s3/s3-proxy.fixture.ts'
import { openS3Store } from '../../packages/service/src/objects/s3/s3-store.ts'
import { isInstalled, versitygw } from './binaries.ts'
import { type S3Gateway, startS3Gateway } from './s3-gateway.ts'

describe.skipIf(!isInstalled(versitygw))('packs on versitygw', () => {
  let gateway: S3Gateway
  beforeAll(async () => {
    gateway = await startS3Gateway()
  })
  afterAll(() => gateway?.[Symbol.asyncDispose]())

  const open = (prefix: string, endpoint = gateway.url) => {
    const { bucket, accessKeyId, secretAccessKey } = gateway
    return openS3Store({
      bucket,
      prefix,
      endpoint,
      region: 'us-east-1',
      isPathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      encryption: undefined,
      storageClass: undefined,
    })
  }

  objectSuite('the suite of every object store', async () => {
    const prefix = `${randomUUID()}/`
    return { open: () => open(prefix), remove: async () => undefined }
  })

  it('an object in parts is whole, although the answers to its start and its completion are lost', async () => {
    await using proxy = await startFaultyProxy(gateway.url)
    const store = await open(`${randomUUID()}/`, proxy.url)
    const lost = new Set(['uploads', 'uploadId'])
    proxy.plan = ({ method, target }) => {
      const found = method === 'POST' ? [...lost].find((each) => target.includes(each)) : undefined
      return found !== undefined && lost.delete(found) ? { kind: 'lose' } : undefined
    }
    const bytes = randomBytes(17 * MIB + 5)
    const writer = await store.create('packs/1/a.car')
    await writer.append([bytes])
    await writer.setHead(Buffer.from('head'))
    expect(await writer.finish()).toEqual({ sizeBytes: bytes.length })
    expect(proxy.injected.get('lose')).toBe(2)
    bytes.set(Buffer.from('head'))
    expect(bytes.equals(await store.read('packs/1/a.car', 0, bytes.length))).toBe(true)
    const again = await store.create('packs/1/a.car')
    await again.append([bytes])
    await expect(again.finish()).rejects.toSatisfy((error) => CairnError.is(error, 'STORAGE_FAILED'))
    await again.abort()
    await store.close()
  })
})

import { randomBytes, randomUUID } from 'node:crypto'
import { CairnError, MIB } from '@cairn/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { objectSuite } from '../../packages/service/src/objects/objects.suite.ts'
import { failEveryFifth, type S3Proxy, startS3Proxy } from '../../packages/service/src/objects/s3/s3-proxy.fixture.ts'
import { openS3Store } from '../../packages/service/src/objects/s3/s3-store.ts'
import { type GoProgram, isInstalled } from './binaries.ts'
import type { S3Gateway } from './s3-gateway.ts'

/** The store of packs on another vendor's S3 server, also with injected faults. */
export function s3Suite(name: string, program: GoProgram, start: () => Promise<S3Gateway>): void {
  describe.skipIf(!isInstalled(program))(`packs on ${name}`, () => {
    let gateway: S3Gateway
    beforeAll(async () => {
      gateway = await start()
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
    const withFaults = async (proxy: S3Proxy) => {
      failEveryFifth(proxy)
      const prefix = `${randomUUID()}/`
      return { open: () => open(prefix, proxy.url), remove: async () => proxy[Symbol.asyncDispose]() }
    }

    objectSuite('the suite of every object store', async () => {
      const prefix = `${randomUUID()}/`
      return { open: () => open(prefix), remove: async () => undefined }
    })

    objectSuite('the suite behind a network that fails every fifth request', async () =>
      withFaults(await startS3Proxy(gateway.url)),
    )

    it('a multipart object is complete although the responses to its start and its completion are lost', async () => {
      await using proxy = await startS3Proxy(gateway.url)
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

    it('multipart objects are complete behind a network that fails every fifth request', async () => {
      await using proxy = await startS3Proxy(gateway.url)
      const { open: openStore } = await withFaults(proxy)
      const store = await openStore()
      for (let at = 0; at < 4; at++) {
        const bytes = randomBytes(25 * MIB + at)
        const writer = await store.create(`packs/1/${at}.car`)
        for (let from = 0; from < bytes.length; from += MIB) await writer.append([bytes.subarray(from, from + MIB)])
        expect(await writer.finish()).toEqual({ sizeBytes: bytes.length })
        await store.confirm(`packs/1/${at}.car`)
        expect(bytes.equals(await store.read(`packs/1/${at}.car`, 0, bytes.length))).toBe(true)
      }
      for (const kind of ['lose', 'refuse', 'cut', 'reset', 'delay'] as const)
        expect(proxy.injected.get(kind)).toBeGreaterThan(0)
      proxy.plan = () => undefined
      await store.close()
    })
  })
}

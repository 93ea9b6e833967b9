import { CairnError } from '@cairn/protocol'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ObjectStore } from './objects.ts'

const bytes = (...parts: string[]) => parts.map((part) => new TextEncoder().encode(part))
const text = (found: Uint8Array) => new TextDecoder().decode(found)
const isDamaged = (error: unknown) => CairnError.is(error, 'DATA_DAMAGED')

/**
 * What every object store guarantees. Within one test, `open` opens the same store each time; it starts empty.
 * @param manyObjects more than the store keeps open
 */
export function objectSuite(
  name: string,
  fresh: () => Promise<{ open(): Promise<ObjectStore>; remove(): Promise<void> }>,
  manyObjects = 150,
) {
  describe(name, () => {
    let place: Awaited<ReturnType<typeof fresh>>
    let store: ObjectStore
    beforeEach(async () => {
      place = await fresh()
      store = await place.open()
    })
    afterEach(async () => {
      await store.close()
      await place.remove()
    })

    const put = async (key: string, ...parts: string[]) => {
      const writer = await store.create(key)
      await writer.append(bytes(...parts))
      return writer.finish()
    }
    const keys = async (prefix: string) => (await Array.fromAsync(store.list(prefix))).toSorted()

    test('reads appended bytes in order, after finish and after a reopen', async () => {
      const writer = await store.create('packs/1/a.car')
      await writer.append(bytes('one', '', 'two'))
      await writer.append(bytes('three'))
      expect(await writer.finish()).toEqual({ sizeBytes: 11 })
      expect(text(await store.read('packs/1/a.car', 0, 11))).toBe('onetwothree')
      await store.close()
      store = await place.open()
      expect(text(await store.read('packs/1/a.car', 3, 3))).toBe('two')
      expect(await store.size('packs/1/a.car')).toBe(11)
    })

    test('writes the head at the end', async () => {
      const writer = await store.create('packs/1/a.car')
      await writer.append(bytes('????', 'body'))
      await writer.setHead(new TextEncoder().encode('HEAD'))
      await writer.finish()
      expect(text(await store.read('packs/1/a.car', 0, 8))).toBe('HEADbody')
    })

    test('reads into the given buffer', async () => {
      await put('packs/1/a.car', 'abcdef')
      const into = new Uint8Array(10)
      const found = await store.read('packs/1/a.car', 2, 3, into)
      expect(text(found)).toBe('cde')
      expect(found.buffer).toBe(into.buffer)
    })

    test('shows nothing before finish, or after abort', async () => {
      const writer = await store.create('packs/1/a.car')
      await writer.append(bytes('abc'))
      expect(await store.size('packs/1/a.car')).toBeUndefined()
      expect(await keys('packs/')).toEqual([])
      await writer.abort()
      await writer.abort()
      expect(await store.size('packs/1/a.car')).toBeUndefined()
      await expect(writer.append(bytes('d'))).rejects.toSatisfy((error) => CairnError.is(error, 'STORAGE_FAILED'))
      expect(await store.sweep()).toBe(0)
    })

    test('abort after finish changes nothing', async () => {
      const writer = await store.create('packs/1/a.car')
      await writer.append(bytes('abc'))
      await writer.finish()
      await writer.abort()
      expect(await store.size('packs/1/a.car')).toBe(3)
    })

    test('never writes a key twice', async () => {
      await put('packs/1/a.car', 'first')
      const writer = await store.create('packs/1/a.car')
      await writer.append(bytes('second'))
      await expect(writer.finish()).rejects.toSatisfy((error) => CairnError.is(error, 'STORAGE_FAILED'))
      await writer.abort()
      expect(text(await store.read('packs/1/a.car', 0, 5))).toBe('first')
    })

    test('reading past the end, or a missing object, is an error and never returns fewer bytes', async () => {
      await put('packs/1/a.car', 'abc')
      await expect(store.read('packs/1/a.car', 1, 3)).rejects.toSatisfy(isDamaged)
      await expect(store.read('packs/1/none.car', 0, 1)).rejects.toSatisfy(isDamaged)
    })

    test('a removed object is gone, and a repeated removal succeeds', async () => {
      await put('packs/1/a.car', 'abc')
      await store.read('packs/1/a.car', 0, 1)
      await store.remove('packs/1/a.car')
      await store.remove('packs/1/a.car')
      expect(await store.size('packs/1/a.car')).toBeUndefined()
      await expect(store.read('packs/1/a.car', 0, 1)).rejects.toSatisfy(isDamaged)
    })

    test('lists from a key on, folder by folder', async () => {
      for (const key of ['packs/1/a.car', 'packs/2/a.car', 'packs/3/a.car']) await put(key, 'x')
      expect(await Array.fromAsync(store.list('packs/', 'packs/2/a.car'))).toEqual(['packs/2/a.car', 'packs/3/a.car'])
    })

    test('a completed object is provisional until it is confirmed or removed', async () => {
      for (const key of ['packs/1/a.car', 'packs/1/b.car', 'trees/c']) await put(key, 'x')
      expect([...(await store.listUnconfirmed('all'))].toSorted()).toEqual([
        'packs/1/a.car',
        'packs/1/b.car',
        'trees/c',
      ])
      await store.confirm('packs/1/a.car')
      await store.confirm('packs/1/a.car')
      await store.remove('trees/c')
      expect([...(await store.listUnconfirmed('alive'))]).toEqual(['packs/1/b.car'])
      // The replica that finished it is alive and decides itself.
      expect(await Array.fromAsync(store.listAbandoned(''))).toEqual([])
      const writer = await store.create('packs/1/d.car')
      await writer.append(bytes('d'))
      await writer.abort()
      expect([...(await store.listUnconfirmed('all'))]).toEqual(['packs/1/b.car'])
    })

    test('can be probed', async () => {
      await store.probe()
      expect(await store.sweep()).toBe(0)
    })

    test('lists by prefix', async () => {
      for (const key of ['packs/1/a.car', 'packs/1/b.car', 'packs/2/a.car', 'pieces/1/a.car']) await put(key, 'x')
      expect(await keys('packs/')).toEqual(['packs/1/a.car', 'packs/1/b.car', 'packs/2/a.car'])
      expect(await keys('packs/1/')).toEqual(['packs/1/a.car', 'packs/1/b.car'])
      expect(await keys('packs/1/b')).toEqual(['packs/1/b.car'])
      expect(await keys('none/')).toEqual([])
    })

    test('sweeping keeps the writes of this process', async () => {
      const writer = await store.create('packs/1/a.car')
      await writer.append(bytes('abc'))
      expect(await store.sweep()).toBe(0)
      await writer.finish()
      expect(text(await store.read('packs/1/a.car', 0, 3))).toBe('abc')
    })

    test('accepts only keys of its own format', async () => {
      const wrong = ['../a', 'packs/../a', '/packs/a', 'packs', 'packs/A', 'packs/a\0b', 'packs//a', '']
      for (const key of wrong) await expect(async () => store.create(key)).rejects.toThrow(TypeError)
    })

    test('can read many more objects than files that stay open', async () => {
      for (let at = 0; at < manyObjects; at++) await put(`packs/1/${at}.car`, `object ${at}`)
      const reads = Array.from({ length: 300 }, (_, at) => at % manyObjects)
      const found = await Promise.all(reads.map(async (at) => text(await store.read(`packs/1/${at}.car`, 7, 1))))
      expect(found).toEqual(reads.map((at) => `${at}`.slice(0, 1)))
    })
  })
}

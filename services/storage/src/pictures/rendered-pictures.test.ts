// Each picture is rendered once: the cache, identical requests, and content that is denied meanwhile.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as dagPb from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { blockKey } from '../gateway/test-gateway.fixture.ts'
import { createRuleSet } from '../moderation/match-rules.ts'
import { parseDenylist } from '../moderation/parse-denylist.ts'
import { inspectPicture, makeNoise, makePicture, openPictureGateway } from './picture-gateway.fixture.ts'
import { readPictureOptions } from './picture-options.ts'

describe('the cache', () => {
  test('renders once, also after a restart, and again when the files are gone', async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const cid = await gateway.addFile(bytes)
    const first = await gateway.get(`/ipfs/${cid}?w=100`)
    const second = await gateway.get(`/ipfs/${cid}?img-width=100`)
    expect(second.rawPayload).toEqual(first.rawPayload)
    expect(await gateway.count()).toEqual({ miss: 1, hit: 1 })
    await using later = await openPictureGateway({ home: gateway.home })
    await later.addFile(bytes)
    expect((await later.get(`/ipfs/${cid}?w=100`)).rawPayload).toEqual(first.rawPayload)
    expect(await later.count()).toEqual({ hit: 1 })
    await later.get(`/ipfs/${cid}?w=101`)
    expect(await later.count()).toEqual({ hit: 1, miss: 1 })
  })

  test('fails no picture when it cannot be used', async () => {
    await using gateway = await openPictureGateway()
    await writeFile(join(gateway.home, 'cache'), 'a file in its place')
    const cid = await gateway.addFile(await makePicture('jpeg'))
    expect((await inspectPicture(gateway, cid, 'w=10')).width).toBe(10)
    expect((await inspectPicture(gateway, cid, 'w=10')).width).toBe(10)
    expect(await gateway.count()).toEqual({ miss: 2 })
    await rm(join(gateway.home, 'cache'))
    await inspectPicture(gateway, cid, 'w=10')
    await inspectPicture(gateway, cid, 'w=10')
    expect(await gateway.count()).toEqual({ miss: 3, hit: 1 })
  })

  test('renders identical concurrent requests once', async () => {
    await using gateway = await openPictureGateway({ cacheBytes: 0 })
    const cid = await gateway.addFile(await makePicture('jpeg'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => gateway.get(`/ipfs/${cid}?w=100`)))
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    expect(await gateway.count()).toEqual({ miss: 1, joined: 7 })
  })

  test('does not abort a picture when one of its clients disconnects', async () => {
    await using gateway = await openPictureGateway()
    const bytes = await makePicture('jpeg')
    const open = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const ask = (signal: AbortSignal) =>
      gateway.pictures.get({
        cid: 'shared',
        sizeBytes: bytes.length,
        options: readPictureOptions(new URLSearchParams('w=10'), undefined)!,
        async *read(own) {
          started.resolve()
          await open.promise
          own.throwIfAborted()
          yield bytes
        },
        address: '192.0.2.1',
        signal,
      })
    const leaving = new AbortController()
    const first = ask(leaving.signal)
    const second = ask(new AbortController().signal)
    await started.promise
    leaving.abort(new Error('left'))
    await expect(first).rejects.toThrow('left')
    open.resolve()
    expect((await second).contentType).toBe('image/jpeg')
    expect(await gateway.count()).toEqual({ joined: 1, miss: 1 })
  })

  test('serves neither denied nor removed content', async () => {
    await using gateway = await openPictureGateway()
    const one = await gateway.addFile(await makePicture('png', { width: 20 }))
    const two = await gateway.addFile(await makePicture('png', { width: 30 }))
    const three = await gateway.addFile(await makeNoise(700, 600))
    const get = (cid: CID) => gateway.get(`/ipfs/${cid}?w=10`)
    for (const cid of [one, two, three]) expect((await get(cid)).statusCode).toBe(200)
    const leaf = dagPb.decode(gateway.blocks.get(blockKey(three))!).Links[0]!.Hash
    gateway.denylist.replace(createRuleSet(parseDenylist(`/ipfs/${one}\n/ipfs/${leaf}`).rules))
    expect([(await get(one)).statusCode, (await get(three)).statusCode]).toEqual([410, 410])
    expect((await get(two)).statusCode).toBe(200)
    gateway.blocks.clear()
    expect((await get(two)).statusCode).toBe(404)
  })
})

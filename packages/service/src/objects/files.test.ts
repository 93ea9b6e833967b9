import { existsSync, statSync } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open as openHandle,
  readdir,
  readlink,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CairnError, MIB } from '@cairn/protocol'
import { expect, test, vi } from 'vitest'
import { describeReadError, describeWriteError } from './file-errors.ts'
import { openFileStore } from './files.ts'
import { objectSuite } from './objects.suite.ts'

async function freshFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-objects-'))
  return { folder, open: () => openFileStore(folder), remove: () => rm(folder, { recursive: true, force: true }) }
}

objectSuite('files', freshFolder)

test('an object whose head did not fit is not finished', async () => {
  const { open, remove } = await freshFolder()
  const store = await open()
  const writer = await store.create('a/object')
  await writer.append([new Uint8Array(3)])
  await expect(writer.setHead(new Uint8Array(4))).rejects.toThrow()
  await expect(writer.finish()).rejects.toThrow()
  await writer.abort()
  expect(await store.size('a/object')).toBeUndefined()
  await store.close()
  await remove()
})

/** Two stores over one folder, as two replicas open them. */
async function openTwo() {
  const { folder, remove } = await freshFolder()
  const first = await openFileStore(folder, { replica: 'first' })
  const second = await openFileStore(folder, { replica: 'second' })
  const inFolder = (name: string) => readdir(join(folder, name))
  const age = async (name: string, seconds: number) => {
    const at = Date.now() / 1000 - seconds
    for (const file of await inFolder(name)) await utimes(join(folder, name, file), at, at)
  }
  return {
    folder,
    first,
    second,
    inFolder,
    age,
    async [Symbol.asyncDispose]() {
      await first.close()
      await second.close()
      await remove()
    },
  }
}

const text = (value: string) => [new TextEncoder().encode(value)]

test('a starting replica keeps the half-written objects of others, however old', async () => {
  await using place = await openTwo()
  const writer = await place.first.create('packs/1/a.car')
  await writer.append(text('half'))
  // A slow sender: nothing was written for two hours, but the heartbeat shows that its replica is alive.
  await place.age('tmp', 7200)
  expect(await place.second.sweep()).toBe(0)
  await writer.append(text(', whole'))
  await writer.finish()
  expect(Buffer.from(await place.second.read('packs/1/a.car', 0, 11)).toString()).toBe('half, whole')
})

test('removes objects of a replica that was silent for an hour, once they are an hour old themselves', async () => {
  await using place = await openTwo()
  const writer = await place.first.create('packs/1/a.car')
  await writer.append(text('half'))
  const done = await place.first.create('packs/1/b.car')
  await done.append(text('done'))
  await done.finish()
  await place.age('replicas', 3590)
  expect(await place.second.sweep()).toBe(0)
  await place.age('replicas', 3610)
  expect(await place.second.sweep()).toBe(0)
  expect(await Array.fromAsync(place.second.listAbandoned('packs/'))).toEqual([])
  await place.age('tmp', 3610)
  await place.age('unconfirmed', 3610)
  expect(await place.second.sweep()).toBe(1)
  const abandoned = await Array.fromAsync(place.second.listAbandoned('packs/'))
  expect(abandoned.map(({ key }) => key)).toEqual(['packs/1/b.car'])
  expect([...(await place.second.listUnconfirmed('alive'))]).toEqual([])
  for (const { settle } of abandoned) await settle()
  expect([...(await place.second.listUnconfirmed('all'))]).toEqual([])
  expect(await place.second.size('packs/1/b.car')).toBe(4)
  // None of its files remain, so its heartbeat is removed.
  await place.second.sweep()
  expect(await place.inFolder('replicas')).toEqual(['second'])
  // It was only suspended: the object it was writing is rejected, and the replica continues.
  await expect(writer.finish()).rejects.toSatisfy((error) => CairnError.is(error, 'STORAGE_FAILED'))
  await writer.abort()
})

test('a single store takes over leftovers of others at once', async () => {
  const { folder, remove } = await freshFolder()
  const killed = await openFileStore(folder, { replica: 'killed' })
  const half = await killed.create('packs/1/a.car')
  await half.append(text('half'))
  const done = await killed.create('packs/1/b.car')
  await done.append(text('done'))
  await done.finish()
  await mkdir(join(folder, 'tmp'), { recursive: true })
  await writeFile(join(folder, 'tmp', `${process.pid}-of-an-earlier-version`), 'x')
  const next = await openFileStore(folder, { replica: 'next', isAlone: true })
  expect(await next.sweep()).toBe(2)
  expect((await Array.fromAsync(next.listAbandoned('packs/'))).map(({ key }) => key)).toEqual(['packs/1/b.car'])
  expect([...(await next.listUnconfirmed('alive'))]).toEqual([])
  expect(await next.listOthers()).toEqual([])
  // Its process ends, which closes the file that it was writing.
  await half.abort()
  await next.close()
  await remove()
})

test('removes files of an earlier version, which name no replica, after a day', async () => {
  await using place = await openTwo()
  await writeFile(join(place.folder, 'tmp', `${process.ppid}-x`), 'x')
  await place.age('tmp', 23 * 3600)
  expect(await place.second.sweep()).toBe(0)
  await place.age('tmp', 25 * 3600)
  expect(await place.second.sweep()).toBe(1)
})

test('replicas see one another while they are alive', async () => {
  await using place = await openTwo()
  await place.first.sweep()
  expect(await place.second.listOthers()).toEqual(['first'])
  await place.age('replicas', 600)
  expect(await place.second.listOthers()).toEqual([])
  await place.first.sweep()
  await place.first.close()
  expect(await place.second.listOthers()).toEqual([])
})

/** Notes what is synced while `work` runs, each time with the state of an object. */
async function watchSyncs(path: string, work: () => Promise<void>): Promise<string[]> {
  const handle = await openHandle(dirname(import.meta.filename), 'r')
  const prototype: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const synced: string[] = []
  const spies = (['datasync', 'sync'] as const).map((name) => {
    const original = prototype[name]
    return vi.spyOn(prototype, name).mockImplementation(async function (this: FileHandle) {
      const { size, ino } = await this.stat()
      const isVisible = existsSync(path)
      await original.call(this)
      const isFolder = existsSync(dirname(path)) && statSync(dirname(path)).ino === ino
      const what = isFolder ? 'folder' : name === 'sync' ? 'another folder' : `${size} bytes`
      synced.push(`${what}, object ${isVisible ? 'there' : 'not there'}`)
    })
  })
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return synced
}

test.each([1000, 20 * MIB + 5])(
  'an object of %i bytes lasts once it is complete, and so does its removal',
  async (size) => {
    const { folder, open, remove } = await freshFolder()
    const store = await open()
    const path = join(folder, 'objects/packs/1/a.car')
    const writer = await store.create('packs/1/a.car')
    const bytes = new Uint8Array(size).fill(7)
    for (let at = 0; at < size; at += 4 * MIB) await writer.append([bytes.subarray(at, at + 4 * MIB)])
    const completed = await watchSyncs(path, async () => {
      await writer.finish()
    })
    // Its bytes before it appears, the folders that lead to it, and its name.
    expect(completed[0]).toBe(`${size} bytes, object not there`)
    expect(completed.filter((one) => one === 'another folder, object not there')).toHaveLength(2)
    expect(completed.at(-1)).toBe('folder, object there')
    expect(await watchSyncs(path, () => store.remove('packs/1/a.car'))).toEqual(['folder, object not there'])
    await store.close()
    await remove()
  },
)

test('detects a folder that is replaced while it is open', async () => {
  const { folder, open, remove } = await freshFolder()
  const store = await open()
  await store.probe()
  await rename(folder, `${folder}.away`)
  await expect(store.probe()).rejects.toThrow()
  await mkdir(folder)
  await expect(store.probe()).rejects.toSatisfy((error) => CairnError.is(error, 'UNAVAILABLE'))
  await expect(store.create('packs/1/a.car')).rejects.toSatisfy((error) => CairnError.is(error, 'STORAGE_FAILED'))
  await rm(`${folder}.away`, { recursive: true })
  await remove()
})

test.runIf(existsSync('/proc/self/fd'))('what is kept open can be let go, so that its space is free', async () => {
  const { folder, open, remove } = await freshFolder()
  const store = await open()
  const writer = await store.create('packs/1/a.car')
  await writer.append(text('abc'))
  await writer.finish()
  await store.read('packs/1/a.car', 0, 3)
  const path = join(folder, 'objects/packs/1/a.car')
  const openPaths = async () => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    )
    return links.filter((link) => link.startsWith(path))
  }
  expect(await openPaths()).toEqual([path])
  // Another replica removes it in the same way.
  await rm(path)
  expect(await openPaths()).toEqual([`${path} (deleted)`])
  store.releaseFiles()
  await expect.poll(openPaths).toEqual([])
  await store.close()
  await remove()
})

test.each([
  ['ENOSPC', 'STORAGE_FULL'],
  ['EDQUOT', 'STORAGE_FULL'],
  ['EMFILE', 'OVERLOADED'],
  ['EIO', 'STORAGE_FAILED'],
  ['EROFS', 'STORAGE_FAILED'],
])('%s in a write is %s', (errno, code) => {
  const error = describeWriteError(Object.assign(new Error('no'), { code: errno }))
  expect(error.code).toBe(code)
})

test('EIO in a read is reported as damage of the object', () => {
  const error = describeReadError(Object.assign(new Error('no'), { code: 'EIO' }), 'packs/1/a.car')
  expect(CairnError.is(error, 'DATA_DAMAGED')).toBe(true)
  expect(error.details).toEqual({ object: 'packs/1/a.car' })
})

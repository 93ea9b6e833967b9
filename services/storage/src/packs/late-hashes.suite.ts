import { createFileImporter, importProfiles, readFile as readUnixfs } from '@cairn/unixfs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Database } from '../db/database.ts'
import { createPackPlace, type PackPlace } from './pack.fixture.ts'
import { hashSha256 } from './packs.ts'
import type { PackWriter } from './types.ts'

const chunkBytes = 256 * 1024

/** Chunks by number: a number that comes again gives the same bytes. */
function contentOf(numbers: readonly number[], lastBytes: number): Uint8Array {
  const content = new Uint8Array(numbers.length * chunkBytes + lastBytes)
  for (const [at, number] of numbers.entries()) {
    const chunk = content.subarray(at * chunkBytes, (at + 1) * chunkBytes)
    for (let byte = 0; byte < chunkBytes; byte++) chunk[byte] = Math.imul(byte + number * 7919, 2_654_435_761) >>> 24
  }
  return content
}

/** Imports a file piece by piece, as a request brings it. Returns how many chunks were hashed later. */
async function importInto(writer: PackWriter, content: Uint8Array, isLeafRaw = true) {
  let late = 0
  const { sink } = writer
  const counting = {
    ...sink,
    putLater: (...given: Parameters<NonNullable<typeof sink.putLater>>) => {
      const known = sink.putLater?.(...given)
      if (known !== undefined) late++
      return known
    },
  }
  const profile = isLeafRaw ? importProfiles.v1 : importProfiles.v0
  const importer = createFileImporter({ profile, hash: hashSha256, sink: counting })
  for (let at = 0; at < content.length; at += 65_536) {
    await importer.write(content.subarray(at, at + 65_536))
    if (at % (8 * 65_536) === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return { finish: () => importer.finish(), late: () => late }
}

async function cidWithoutThreads(content: Uint8Array, isLeafRaw: boolean): Promise<string> {
  const profile = isLeafRaw ? importProfiles.v1 : importProfiles.v0
  const importer = createFileImporter({ profile, hash: hashSha256, sink: { put: () => undefined } })
  await importer.write(content)
  return `${(await importer.finish()).cid}`
}

/** What large files guarantee, whose chunks are hashed while the next ones arrive, on every database. */
export function lateHashesSuite(openEmpty: () => Promise<Database>): void {
  describe('chunks that are hashed later', () => {
    let place: PackPlace
    beforeEach(async () => {
      place = await createPackPlace(await openEmpty())
    })
    afterEach(() => place.remove())

    test.each([true, false])(
      'give the same file, and repeated ones are stored once (raw leaves: %s)',
      async (isLeafRaw) => {
        const different = Array.from({ length: 60 }, (_, at) => at)
        const content = contentOf([...different, 7, 7, 59, 58, ...different.slice(30), 3], 1000)
        const writer = place.packs.begin()
        const { finish, late } = await importInto(writer, content, isLeafRaw)
        const { cid } = await finish()
        expect(late()).toBeGreaterThan(10)
        expect(`${cid}`).toBe(await cidWithoutThreads(content, isLeafRaw))
        await place.record(await writer.seal([cid]), cid)
        const pieces = await Array.fromAsync(readUnixfs(place.packs.openReader(), cid, {}), (piece) => piece.slice())
        expect(Buffer.compare(Buffer.concat(pieces), content)).toBe(0)
        expect(await place.findings({ readData: 1 })).toEqual([])
        const stored = (await place.objects.size((await place.objectKeys())[0] ?? '')) ?? 0
        expect(stored).toBeLessThan(61 * chunkBytes)
        expect(stored).toBeGreaterThan(60 * chunkBytes)
        expect(writer.bytesWritten).toBeLessThan(61 * chunkBytes)

        // All of it lies in the first pack now.
        const again = place.packs.begin()
        const repeated = await importInto(again, content, isLeafRaw)
        const sealed = await again.seal([(await repeated.finish()).cid])
        expect(sealed.own).toBeUndefined()
        expect(sealed.dependsOn).toHaveLength(1)
      },
    )

    test('leave nothing after an abort, and their memory is free only when no thread reads it', async () => {
      const content = contentOf(
        Array.from({ length: 50 }, (_, at) => at + 100),
        0,
      )
      const aborted = Array.from({ length: 4 }, async () => {
        const writer = place.packs.begin()
        const { late } = await importInto(writer, content)
        await writer.abort()
        return late()
      })
      const writer = place.packs.begin()
      const { finish } = await importInto(
        writer,
        contentOf([1, 2, 3, ...Array.from({ length: 40 }, (_, at) => at + 500)], 77),
      )
      const { cid } = await finish()
      expect((await Promise.all(aborted)).some((late) => late > 0)).toBe(true)
      await place.record(await writer.seal([cid]), cid)
      expect(await place.findings({ readData: 1 })).toEqual([])
      expect(await place.objectKeys()).toHaveLength(1)
    })
  })
}

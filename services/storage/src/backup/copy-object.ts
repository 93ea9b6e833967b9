import { createHash } from 'node:crypto'
import { CairnError, maxBlockBytes } from '@cairn/protocol'
import type { Sum } from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import { readCar, UnixfsError, verifyBlock } from '@cairn/unixfs'
import { hashSha256 } from '../packs/packs.ts'
import { readSalvaged } from './read-salvaged.ts'

/** An object that was read: its sum, and whether its blocks match their hashes. */
export type ReadObject = Sum & { readonly isSound: boolean }

type CopyParts = { from: ObjectStore; to: ObjectStore; signal?: AbortSignal | undefined }

/**
 * Copies an object, and verifies each block of a pack against its hash on the way. A damaged one is copied too: its other
 * blocks are good. Returns undefined when there is no such object, or the disk can read too little of it.
 */
export async function copyObject({ from, to, signal }: CopyParts, key: string): Promise<ReadObject | undefined> {
  const bytes = await from.size(key)
  if (bytes === undefined) return undefined
  const writer = await to.create(key)
  try {
    const read = await readObject(from, key, bytes, signal, (piece) => writer.append([piece]))
    if (read === undefined) {
      await writer.abort()
      return undefined
    }
    await writer.finish()
    await to.confirm(key)
    return read
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Reads an object whole, as {@link copyObject} does, without a copy. */
export async function inspectObject(
  objects: ObjectStore,
  key: string,
  signal?: AbortSignal,
): Promise<ReadObject | undefined> {
  const bytes = await objects.size(key)
  return bytes === undefined ? undefined : readObject(objects, key, bytes, signal, async () => undefined)
}

async function readObject(
  objects: ObjectStore,
  key: string,
  bytes: number,
  signal: AbortSignal | undefined,
  onPiece: (piece: Uint8Array) => Promise<void>,
): Promise<ReadObject | undefined> {
  const hash = createHash('sha256')
  let isReadable = true
  const onUnreadable = () => {
    isReadable = false
  }
  const pieces = passOn(readSalvaged(objects, key, bytes, { signal, onUnreadable }), async (piece) => {
    hash.update(piece)
    await onPiece(piece)
  })
  try {
    const isSound = !key.startsWith('packs/') || (await verifyBlocks(pieces))
    // The rest of a pack that is not readable as one, and every other object.
    for await (const _piece of pieces);
    return { bytes, sha256: hash.digest('hex'), isSound: isSound && isReadable }
  } catch (error) {
    if (CairnError.is(error, 'DATA_DAMAGED')) return undefined
    throw error
  }
}

/** Passes each piece on before it is yielded. Ending a loop early does not end it. */
function passOn(
  pieces: AsyncGenerator<Uint8Array>,
  onPiece: (piece: Uint8Array) => Promise<void>,
): AsyncIterable<Uint8Array> & AsyncIterator<Uint8Array> {
  return {
    async next() {
      const step = await pieces.next()
      if (step.done !== true) await onPiece(step.value)
      return step
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

async function verifyBlocks(pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
  try {
    const car = await readCar(pieces, { maxBlockBytes })
    for await (const { cid, bytes } of car.blocks) await verifyBlock(cid, bytes, hashSha256)
    return true
  } catch (error) {
    // Anything else is an error of the store.
    if (UnixfsError.is(error) || CairnError.is(error, 'UNSUPPORTED_CODEC')) return false
    throw error
  }
}

import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readBlob } from './blob-file.ts'

const mib = 1024 * 1024

/** A blob of a browser that cannot read into a buffer of the caller. */
class PlainBlob extends Blob {
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return super.stream().pipeThrough(new TransformStream())
  }
}

/** A file that was truncated after it was chosen. */
class CutBlob extends Blob {
  override arrayBuffer(): Promise<ArrayBuffer> {
    return super.slice(0, super.size - 1).arrayBuffer()
  }

  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return super.slice(0, super.size - 1).stream()
  }
}

test.each([
  ['into its own buffers', Blob],
  ['from a plain stream', PlainBlob],
])('reads all bytes of a blob, each piece valid while the next one is read, %s', async (_what, Kind) => {
  for (const size of [0, 1, mib - 1, mib, 5 * mib + 1]) {
    const bytes = randomBytes(size)
    const hash = createHash('sha256')
    let before: Uint8Array | undefined
    for await (const piece of readBlob(new Kind([bytes]))) {
      // Like a transport that sends a piece while it reads the next one.
      if (before !== undefined) hash.update(before)
      before = piece
    }
    if (before !== undefined) hash.update(before)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  }
})

test('a small blob uses only the memory of its bytes', async () => {
  for await (const piece of readBlob(new Blob([randomBytes(100)]))) expect(piece.buffer.byteLength).toBe(100)
  expect.assertions(1)
})

test.each([100, 3 * mib])('a file of %i bytes that was cut after it was chosen is an error', async (size) => {
  const read = async () => {
    for await (const _piece of readBlob(new CutBlob([randomBytes(size)])));
  }
  await expect(read()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})

test('a reader that stops early ends the stream', async () => {
  let isCancelled = false
  class WatchedBlob extends Blob {
    override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
      return new ReadableStream({
        type: 'bytes',
        pull: (controller) => controller.enqueue(new Uint8Array(mib)),
        cancel: () => {
          isCancelled = true
        },
      })
    }
  }
  for await (const piece of readBlob(new WatchedBlob([new Uint8Array(4 * mib)]))) {
    expect(piece.length).toBe(mib)
    break
  }
  expect(isCancelled).toBe(true)
})

import { constants, type FileHandle, open } from 'node:fs/promises'
import { MIB, writeAll } from '@cairn/protocol'
import { alignmentBytes, allocateAligned, isAligned } from './aligned-bytes.ts'
import { errnoOf } from './file-errors.ts'
import { readWhole } from './read-whole.ts'

/** Size from which direct writes pay: smaller content is soon read again, and needs few calls. */
export const directFromBytes = 16 * MIB
/** Errors of file systems that read and write only through their cache. */
const refusals: readonly unknown[] = ['EINVAL', 'EOPNOTSUPP', 'ENOTSUP']
/** Whether a system, a file system or a call refuses to pass its cache. */
export const isRefusedDirectly = (error: unknown): boolean => refusals.includes(errnoOf(error))
/** Bytes copied per write, if they lie where the system does not take them from. */
const copyBytes = MIB

/** The rest of a file, written past the page cache. */
export type DirectFile = {
  /** Appends bytes; all but the last incomplete block are written when it settles. One call at a time. */
  append(parts: readonly Uint8Array[]): Promise<void>
  /** Writes the incomplete block. Nothing is durable before a sync of the file. */
  finish(): Promise<void>
  close(): Promise<void>
}

/**
 * Continues a file with `O_DIRECT`: the disk takes the bytes from our memory, without a copy of each page in the cache,
 * which evicts what is read often and costs more processor time than the hash. A direct write begins and ends at a block, in
 * the file and in memory: bytes before and after are kept until their block is complete, and bytes that lie elsewhere in memory
 * are copied. Whatever the system refuses to write directly is written through the cache.
 *
 * @param file the same file, open for reading and writing, of `sizeBytes`; it must stay open until this is closed
 * @returns undefined if the system or the file system has no direct writes
 * @see https://man7.org/linux/man-pages/man2/open.2.html (O_DIRECT)
 */
export async function openDirectFile(
  path: string,
  file: FileHandle,
  sizeBytes: number,
): Promise<DirectFile | undefined> {
  const handle = await openDirect(path)
  if (handle === undefined) return undefined
  const carry = allocateAligned(alignmentBytes)
  let carried = sizeBytes % alignmentBytes
  /** Where the carried bytes begin, at a block. */
  let position = sizeBytes - carried
  let copied: Uint8Array | undefined
  try {
    const found = await readWhole(file, carry.subarray(0, carried), position)
    if (found < carried) throw new Error('The file is shorter than what was written to it')
  } catch (error) {
    await handle.close()
    throw error
  }

  /** Writes whole blocks from aligned memory. */
  const write = async (parts: readonly Uint8Array[]): Promise<void> => {
    let done = 0
    try {
      done = await writeAll(handle, parts, position, { maxBytesPerCall: Number.POSITIVE_INFINITY })
    } catch (error) {
      if (!isRefusedDirectly(error)) throw error
      // Some of it may be written already: the same bytes again.
      done = await writeAll(file, parts, position)
    }
    position += done
  }

  const appendPart = async (part: Uint8Array): Promise<void> => {
    const needed = carried === 0 ? 0 : Math.min(alignmentBytes - carried, part.length)
    carry.set(part.subarray(0, needed), carried)
    carried += needed
    const rest = part.subarray(needed)
    const isComplete = carried === alignmentBytes
    if (carried > 0 && !isComplete) return
    const wholeBytes = rest.length - (rest.length % alignmentBytes)
    const whole = rest.subarray(0, wholeBytes)
    const before = isComplete ? [carry] : []
    if (isAligned(whole) || wholeBytes === 0) {
      await write([...before, whole])
    } else {
      await write(before)
      copied ??= allocateAligned(copyBytes)
      for (let at = 0; at < wholeBytes; at += copyBytes) {
        const piece = whole.subarray(at, at + copyBytes)
        copied.set(piece)
        await write([copied.subarray(0, piece.length)])
      }
    }
    const after = rest.subarray(wholeBytes)
    carry.set(after)
    carried = after.length
  }

  return {
    async append(parts) {
      for (const part of parts) await appendPart(part)
    },
    async finish() {
      await writeAll(file, [carry.subarray(0, carried)], position)
    },
    close: () => handle.close(),
  }
}

async function openDirect(path: string): Promise<FileHandle | undefined> {
  const { O_DIRECT, O_WRONLY } = constants
  // Undefined on systems that have no such flag.
  if (O_DIRECT === undefined) return undefined
  try {
    return await open(path, O_WRONLY | O_DIRECT)
  } catch (error) {
    if (isRefusedDirectly(error)) return undefined
    throw error
  }
}

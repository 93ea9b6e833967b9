import { withoutTrailing } from '@cairn/protocol'
import type { NodeKind, NodeMetadata } from '@cairn/unixfs'
import { specialBits } from '../content/go-mode.ts'

const folderBit = 2 ** 31
const symlinkBit = 2 ** 27

/** The first and the last second with a year of four digits, which Go can write as JSON. */
const minSeconds = -62_167_219_200
const maxSeconds = 253_402_300_799
/** The time of a node without one, in seconds since 1970: Go's zero, in the year 1. */
const zeroSeconds = -62_135_596_800

/** Returns the mode of a node as Go writes it; 0 for a node without permissions. */
export function toGoMode(kind: NodeKind, { mode = 0 }: NodeMetadata): number {
  if (mode % 0o10000 === 0) return 0
  let bits = mode & 0o777
  for (const [unix, go] of specialBits) if ((mode & unix) !== 0) bits += go
  if (kind === 'directory' || kind === 'hamt') return bits + folderBit
  return kind === 'symlink' ? bits + symlinkBit : bits
}

/** Returns the time of a node as Go writes it in JSON. */
export function toGoTime({ mtime }: NodeMetadata): string {
  const { seconds, nanoseconds } = mtime ?? { seconds: zeroSeconds, nanoseconds: 0 }
  // Go fails at other years, and the whole list with it.
  if (seconds < minSeconds || seconds > maxSeconds) return toGoTime({})
  const fraction = withoutTrailing(String(nanoseconds).padStart(9, '0'), '0')
  return new Date(seconds * 1000).toISOString().replace('.000Z', fraction === '' ? 'Z' : `.${fraction}Z`)
}

/** The fields of `files/stat` about mode and time. Fields that are zero are omitted, as in Go. */
export type StatMetadata = { Mtime?: number; MtimeNsecs?: number; Mode?: string }

/** Returns the mode and time of a node as `files/stat` shows them. A symbolic link without permissions has all of them. */
export function describeMetadata(kind: NodeKind, metadata: NodeMetadata): StatMetadata {
  const { seconds, nanoseconds } = metadata.mtime ?? { seconds: 0, nanoseconds: 0 }
  const isZero = seconds === zeroSeconds && nanoseconds === 0
  const mode = toGoMode(kind, kind === 'symlink' ? { mode: 0o777, ...metadata } : metadata)
  return {
    ...(seconds === 0 || isZero ? {} : { Mtime: seconds }),
    ...(nanoseconds === 0 ? {} : { MtimeNsecs: nanoseconds }),
    ...(mode === 0 ? {} : { Mode: mode.toString(8).padStart(4, '0') }),
  }
}

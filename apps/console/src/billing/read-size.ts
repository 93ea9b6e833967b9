import { GIB, MIB } from '@cairn/protocol'

export const sizeUnits = ['MiB', 'GiB', 'TiB'] as const
export type SizeUnit = (typeof sizeUnits)[number]

const tib = 1024 * GIB
const bytesOf: Record<SizeUnit, number> = { MiB: MIB, GiB: GIB, TiB: tib }
/** Services reject a payment for more as a mistake. */
const maxSizeBytes = 1024 * tib

/** Parses a size such as `12.5` GiB into bytes, rounded up; undefined if it cannot be bought. */
export function readSize(text: string, unit: SizeUnit): number | undefined {
  const plain = text.trim().replace(',', '.')
  if (!/^(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(plain)) return undefined
  const sizeBytes = Math.ceil(Number(plain) * bytesOf[unit])
  return sizeBytes > 0 && sizeBytes <= maxSizeBytes ? sizeBytes : undefined
}

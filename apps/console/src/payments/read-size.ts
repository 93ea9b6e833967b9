import { GIB, MIB } from '@cairn/protocol'

export const sizeUnits = ['MiB', 'GiB', 'TiB'] as const
export type SizeUnit = (typeof sizeUnits)[number]

const tib = 1024 * GIB
const bytesOf: Record<SizeUnit, number> = { MiB: MIB, GiB: GIB, TiB: tib }
/** A payment for more is refused by services as a mistake. */
const sizeBytesMost = 1024 * tib

/** Bytes of a size that somebody wrote, such as `12.5` GiB, rounded up; undefined where it is none that can be bought. */
export function readSize(text: string, unit: SizeUnit): number | undefined {
  const plain = text.trim().replace(',', '.')
  if (!/^(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(plain)) return undefined
  const sizeBytes = Math.ceil(Number(plain) * bytesOf[unit])
  return sizeBytes > 0 && sizeBytes <= sizeBytesMost ? sizeBytes : undefined
}

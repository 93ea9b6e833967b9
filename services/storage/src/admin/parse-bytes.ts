import { wrongUse } from '@cairn/service/admin'

const units: Readonly<Record<string, number>> = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }

/** Parses a signed number of bytes: `10GiB`, `-500MiB`, `1048576`. @throws CairnError USAGE */
export function parseBytes(text: string): number {
  const [, sign = '', digits = '', unit = ''] = /^([+-]?)(\d{1,15})(B|KiB|MiB|GiB|TiB)?$/.exec(text) ?? []
  const bytes = Number(digits) * (sign === '' || sign === '+' ? 1 : -1) * (units[unit] ?? 1)
  if (digits === '' || bytes === 0 || !Number.isSafeInteger(bytes)) {
    throw wrongUse(`${text} is not an amount of bytes such as 10GiB or -500MiB`)
  }
  return bytes
}

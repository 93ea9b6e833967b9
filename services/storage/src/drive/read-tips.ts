/** Bytes at the start of a part that have its tips. */
export const tipsBytes = 48

const mark = 'CDR1'
const [beforeAt, afterAt, tipBytes] = [16, 32, 16]

/**
 * Returns the random tips before and after a part, as hex, from the start of its header, which clients write unencrypted; undefined
 * for data of another form.
 */
export function readTips(start: Uint8Array): { before: string; after: string } | undefined {
  const bytes = Buffer.from(start)
  if (bytes.length < tipsBytes || bytes.toString('latin1', 0, mark.length) !== mark) return undefined
  const tip = (at: number) => bytes.toString('hex', at, at + tipBytes)
  return { before: tip(beforeAt), after: tip(afterAt) }
}

/** Maximum bytes of a transaction: one packet of the network. */
export const maxTransactionBytes = 1232

const signatureBytes = 64
const keyBytes = 32
const headerBytes = 3
const versionFlag = 0x80

/**
 * Returns whether bytes are exactly one legacy or version 0 transaction. The engine aborts the process on
 * anything else, and decides itself whether the transaction is valid.
 *
 * @see https://solana.com/docs/core/transactions
 */
export function isTransaction(bytes: Uint8Array): boolean {
  if (bytes.length > maxTransactionBytes) return false
  let at = 0
  let isWhole = true
  const skip = (count: number) => {
    at += count
    if (at > bytes.length) isWhole = false
  }
  /** A length of up to 16 bits in groups of 7, without needless groups. */
  const readLength = (): number => {
    let value = 0
    for (let group = 0; group < 3; group++) {
      const byte = bytes[at++]
      if (byte === undefined || (group === 2 && byte > 3) || (group > 0 && byte === 0)) break
      value |= (byte & 0x7f) << (7 * group)
      if (byte < 0x80) return value
    }
    isWhole = false
    return 0
  }
  const skipList = (itemBytes: number) => skip(readLength() * itemBytes)

  skipList(signatureBytes)
  const isVersioned = ((bytes[at] ?? 0) & versionFlag) !== 0
  if (isVersioned) {
    if (bytes[at] !== versionFlag) return false
    skip(1)
  }
  skip(headerBytes)
  skipList(keyBytes)
  skip(keyBytes)
  for (let left = readLength(); left > 0 && isWhole; left--) {
    skip(1)
    skipList(1)
    skipList(1)
  }
  if (isVersioned) {
    for (let left = readLength(); left > 0 && isWhole; left--) {
      skip(keyBytes)
      skipList(1)
      skipList(1)
    }
  }
  return isWhole && at === bytes.length
}

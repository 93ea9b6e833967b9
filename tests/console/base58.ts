const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Decodes base58 into a given number of bytes, because a number does not show leading zeros. */
export function readBase58(text: string, length: number): Buffer {
  const value = [...text].reduce((sum, letter) => sum * 58n + BigInt(alphabet.indexOf(letter)), 0n)
  return Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex')
}

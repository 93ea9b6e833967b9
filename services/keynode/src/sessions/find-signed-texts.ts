import { verifyWalletSignature } from '@cairn/crypto'

/**
 * Which of several texts a signature may be of: the one where it is a key's; where only a contract could have made it, all
 * that a contract would have to be asked about.
 * @param address normalised
 * @returns whether a key made it, and the texts
 */
export function findSignedTexts(
  address: string,
  texts: readonly string[],
  signature: string,
): { isKeys: boolean; texts: string[] } {
  const open: string[] = []
  for (const text of texts) {
    const check = verifyWalletSignature(address, text, signature)
    if (check === 'valid') return { isKeys: true, texts: [text] }
    if (check === 'needs-chain') open.push(text)
  }
  return { isKeys: false, texts: open }
}

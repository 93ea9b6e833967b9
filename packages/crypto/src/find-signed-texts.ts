import { verifyWalletSignature } from './verify-signature.ts'

/** A question that only a contract can answer: which of the texts it accepts the signature of. */
export type ContractQuestion = { address: `0x${string}`; texts: readonly string[]; signature: `0x${string}` }

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

/**
 * Finds the one of several texts that an address signed.
 * @param address normalised
 * @param texts the likeliest first
 * @param askContract called if no key made the signature and a contract could have accepted it
 */
export async function findSignedText(
  address: string,
  texts: readonly string[],
  signature: string,
  askContract: (question: ContractQuestion) => Promise<string | undefined>,
): Promise<string | undefined> {
  const possible = findSignedTexts(address, texts, signature)
  if (possible.isKeys) return possible.texts[0]
  if (possible.texts.length === 0 || !isHex(address) || !isHex(signature)) return undefined
  return askContract({ address, texts: possible.texts, signature })
}

function isHex(text: string): text is `0x${string}` {
  return text.startsWith('0x')
}

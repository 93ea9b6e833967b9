import { verifyWalletSignature } from './verify-signature.ts'

/** A check that only a contract can do: which of the messages it accepts the signature for. */
export type ContractCheck = { address: `0x${string}`; texts: readonly string[]; signature: `0x${string}` }

/**
 * Returns which of several messages a signature may belong to: the one if a key made it; if only a contract could have
 * accepted it, all that the contract must check.
 * @param address normalised
 * @returns whether a key made it, and the messages
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
 * Returns the one of several messages that an address signed.
 * @param address normalised
 * @param texts the likeliest first
 * @param askContract called if no key made the signature and a contract could have accepted it
 */
export async function findSignedText(
  address: string,
  texts: readonly string[],
  signature: string,
  verifyByContract: (check: ContractCheck) => Promise<string | undefined>,
): Promise<string | undefined> {
  const possible = findSignedTexts(address, texts, signature)
  if (possible.isKeys) return possible.texts[0]
  if (possible.texts.length === 0 || !isHex(address) || !isHex(signature)) return undefined
  return verifyByContract({ address, texts: possible.texts, signature })
}

function isHex(text: string): text is `0x${string}` {
  return text.startsWith('0x')
}

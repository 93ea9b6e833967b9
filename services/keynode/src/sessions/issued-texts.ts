/** Texts to sign that were issued by this process, by address, so that a signature alone tells what was signed. */
export type IssuedTexts = {
  add(address: string, text: string, expiresAt: number): void
  /** Open ones of an address, newest first. */
  of(address: string): string[]
}

/** Open texts of one address; a new one drives the oldest out. */
const textsMost = 16
/** Addresses kept; beyond it the oldest go, whose users ask again. */
const addressesMost = 20_000

/**
 * A memory of one process, on purpose: it guards nothing. A text that is forgotten costs its user another signature; nodes
 * decide by the text itself.
 */
export function createIssuedTexts(clock: { now(): number }): IssuedTexts {
  const byAddress = new Map<string, { text: string; expiresAt: number }[]>()
  const open = (address: string) => (byAddress.get(address) ?? []).filter(({ expiresAt }) => expiresAt >= clock.now())
  return {
    add(address, text, expiresAt) {
      const texts = [{ text, expiresAt }, ...open(address)].slice(0, textsMost)
      byAddress.delete(address)
      byAddress.set(address, texts)
      if (byAddress.size > addressesMost) {
        const [oldest] = byAddress.keys()
        if (oldest !== undefined) byAddress.delete(oldest)
      }
    },
    of: (address) => open(address).map(({ text }) => text),
  }
}

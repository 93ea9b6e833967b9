/** Returns a text that an earlier page stored; undefined if there is none, or the browser has no storage. */
export function recallText(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}

/** Stores a text, or removes it. Without storage, it applies to this page, which is not an error. */
export function keepText(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, text)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

/** A text that an earlier page kept in this browser; undefined where there is none, or the browser keeps nothing. */
export function recallText(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}

/** Keeps a text, or forgets it. In a browser that keeps nothing it holds for this page, which is no fault. */
export function keepText(name: string, text: string | undefined): void {
  try {
    if (text === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, text)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
  }
}

/**
 * Converts a text to lower case letter by letter, as searches compare names, so that its length does not change. Letters without
 * exactly one other form stay, such as `ß`.
 */
export function foldCase(text: string): string {
  return text.replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase()
    return upperOf(lower) === letter ? lower : letter
  })
}

/** Returns the upper case of a lower one; undefined for other characters, and for letters with several forms. */
export function upperOf(letter: string): string | undefined {
  const upper = letter.toUpperCase()
  return upper !== letter && upper.length === letter.length && upper.toLowerCase() === letter ? upper : undefined
}

/**
 * Returns a text without these characters at its end. Takes time in proportion to the text: an expression such as `/0+$/` tries each
 * of many zeros within the text as the start of its end, which takes hours for a megabyte of them.
 */
export function withoutTrailing(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

/** Control characters, line breaks, halves of letters, and what turns the direction of reading. */
const controls = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/**
 * Shows characters that have no shape of their own as their code point. A name with U+202E in it reads as another name:
 * `rtl-\u202Etxt.exe` as `rtl-exe.txt`.
 */
export function markControls(text: string): string {
  return text.replace(controls, (character) => `⟨U+${codePoint(character)}⟩`)
}

function codePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
}

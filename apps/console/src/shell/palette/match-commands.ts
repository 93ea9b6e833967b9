/**
 * Returns the items whose text contains every typed word, each at the start of a word: those that start with the typed
 * text first, then in the given order.
 */
export function matchCommands<T extends { label: string; aliases?: string }>(items: readonly T[], typed: string): T[] {
  const wanted = fold(typed).split(/\s+/).filter(Boolean)
  const whole = wanted.join(' ')
  return items
    .filter(({ label, aliases = '' }) => {
      const words = fold(`${label} ${aliases}`).split(/[^\p{L}\p{N}]+/u)
      return wanted.every((part) => words.some((word) => word.startsWith(part)))
    })
    .toSorted((one, other) => Number(fold(other.label).startsWith(whole)) - Number(fold(one.label).startsWith(whole)))
}

/** Lower case, without accents. */
function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

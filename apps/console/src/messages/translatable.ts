const english: Record<string, object> = {}
let translations: Readonly<Record<string, object>> = {}

/**
 * Returns a part of the English texts. {@link translate} puts the texts of another language in their place.
 * @param part its name in `en.ts`
 * @__NO_SIDE_EFFECTS__
 */
export function translatable<Part extends object>(part: string, texts: Part): Part {
  english[part] = texts
  return Object.assign(texts, translations[part])
}

/** Shows the texts of another language, in the parts that are loaded and in those that will be. */
export function translate(texts: Readonly<Record<string, object>>): void {
  translations = texts
  for (const [part, own] of Object.entries(english)) Object.assign(own, texts[part])
}

import type { Texts } from './texts.ts'

/**
 * The languages of the console. Texts in English come with the pages that show them; a language in their place is one script.
 * A language that lacks a text does not compile.
 */
export const languages: Readonly<Record<string, (() => Promise<Texts>) | undefined>> = {
  en: undefined,
  de: () => import('./de/de.ts'),
}

/** Returns the name of a language in that language. */
export function nameLanguage(tag: string): string {
  return new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
}

import { formatCount } from './format.ts'

/** A text for each plural category of a language. `other` is a category of every language. */
type Forms<Category extends Intl.LDMLPluralRule> = Readonly<Record<Category | 'other', string>>

/**
 * Returns how a language writes counts, by its rules in CLDR.
 * @typeParam Category the categories of whole numbers in the language, beside `other`
 * @see https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html
 */
export function createPlural<Category extends Intl.LDMLPluralRule>(locale: string) {
  const rules = new Intl.PluralRules(locale)
  const plural = (count: number, forms: Forms<Category>): string => {
    const byCategory: Partial<Record<Intl.LDMLPluralRule, string>> = forms
    return byCategory[rules.select(count)] ?? forms.other
  }
  return {
    /** Returns the form for a count. */
    plural,
    /** Returns the count and its form: `1 file`, `1,000 files`. */
    counted: (count: number, forms: Forms<Category>) => `${formatCount(count)} ${plural(count, forms)}`,
  }
}

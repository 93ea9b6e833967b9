import { language } from './language.ts'
import { languages } from './languages.ts'
import { translate } from './translatable.ts'

/** Loads the texts of the language of this page, unless they are English. */
export async function loadTexts(): Promise<void> {
  try {
    const texts = await languages[language]?.()
    if (texts !== undefined) translate(texts)
  } catch (error) {
    // The script cannot be loaded, as offline or during an update of the service. The English texts are there.
    if (!(error instanceof TypeError)) throw error
    document.documentElement.lang = 'en'
  }
}

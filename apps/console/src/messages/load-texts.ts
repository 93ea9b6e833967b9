import { language } from './language.ts'
import { languages } from './languages.ts'
import { translate } from './translatable.ts'
import { loadUsualErrors } from './usual-errors.ts'

/** Loads the texts of the language of this page, unless they are English. */
export async function loadTexts(): Promise<void> {
  try {
    const load = languages[language]
    if (load === undefined) return
    const [texts] = await Promise.all([load(), loadUsualErrors()])
    translate(texts)
  } catch (error) {
    // The script cannot be loaded, as offline or during an update of the service. The English texts are there.
    if (!(error instanceof TypeError)) throw error
    document.documentElement.lang = 'en'
  }
}

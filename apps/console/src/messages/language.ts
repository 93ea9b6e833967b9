/**
 * The language of this page: `first-paint.js` chooses it before anything is drawn, by the settings and the languages of the
 * browser. English where there is no page, as in tests and builds.
 */
export const language = typeof document === 'undefined' ? 'en' : document.documentElement.lang

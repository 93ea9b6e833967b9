/** The texts of a language. The English ones state which there are, and the kind of each. */
export type Texts = typeof import('./en/en.ts')

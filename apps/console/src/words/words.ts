import { en } from './en.ts'

/** Every text of the console, in the language it is shown in. Another language is another object of this shape. */
export const words: typeof en = en

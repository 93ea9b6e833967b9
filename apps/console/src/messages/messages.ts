/**
 * Every text of the console, in the language it is shown in. Read it within functions: while the modules of the first load
 * are evaluated, it still has the English texts.
 */
export * as messages from './en/en.ts'

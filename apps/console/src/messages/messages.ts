/** Every text of the console, in the language it is shown in. Another language is another module of these names. */
export * as messages from './en.ts'

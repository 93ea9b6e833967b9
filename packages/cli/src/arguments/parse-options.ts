import { parseArgs } from 'node:util'
import { findNearest } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import type { Options, Values } from '../command.ts'

/** Kinds of values that must not be empty: an empty one comes from a variable that is not set. */
const emptyIsNothing = new Set<string | undefined>(['address', 'addresses', 'cid', 'file', 'path', 'url', 'where'])

/**
 * Parses the options of a command.
 * @throws CairnError USAGE naming an option that is unknown, lacks a value or must not have one
 */
export function parseOptions(argv: string[], options: Options, name: string): { values: Values; args: string[] } {
  const { values, positionals, tokens } = parseArgs({
    args: argv,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const hint = `Run cairn ${name} --help for usage.`
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = options[token.name]
    if (option === undefined || !Object.hasOwn(options, token.name)) {
      const meant = token.rawName.startsWith('--') ? findNearest(token.name, Object.keys(options)) : undefined
      throw new CairnError('USAGE', {
        message: `Unknown option ${token.rawName}`,
        hint:
          meant === undefined
            ? `${hint} Write an argument that starts with a dash after --.`
            : `Did you mean --${meant}? ${hint}`,
      })
    }
    if (option.type === 'boolean' && token.value !== undefined)
      throw new CairnError('USAGE', { message: `${token.rawName} does not take a value`, hint })
    const isMissing = token.value === undefined || (token.inlineValue === false && /^-./.test(token.value))
    if (option.type === 'string' && isMissing)
      throw new CairnError('USAGE', {
        message: `${token.rawName} requires a value${option.value === undefined ? '' : `: <${option.value}>`}`,
        hint: `${hint} Write a value that starts with a dash as ${token.rawName.startsWith('--') ? token.rawName : `--${token.name}`}=<value>.`,
      })
    // A blank name would leave the upload without a visible name in listings.
    const isBlank = token.name === 'name' && token.value?.trim() === ''
    if (isBlank || (token.value === '' && emptyIsNothing.has(option.value)))
      throw new CairnError('USAGE', { message: `${token.rawName} is empty: <${option.value}>`, hint })
  }
  return { values, args: positionals }
}

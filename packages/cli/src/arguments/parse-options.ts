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
  for (const token of tokens) if (token.kind === 'option') checkOption(token, options, hint)
  return { values, args: positionals }
}

/** An option as it was written. */
type Token = { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined }

function checkOption(token: Token, options: Options, hint: string): void {
  const { name, rawName, value } = token
  const option = Object.hasOwn(options, name) ? options[name] : undefined
  if (option === undefined) throw unknownOption(token, options, hint)
  if (option.type === 'boolean' && value !== undefined)
    throw new CairnError('USAGE', { message: `${rawName} does not take a value`, hint })
  const isMissing = value === undefined || (token.inlineValue === false && /^-./.test(value))
  if (option.type === 'string' && isMissing)
    throw new CairnError('USAGE', {
      message: `${rawName} requires a value${option.value === undefined ? '' : `: <${option.value}>`}`,
      hint: `${hint} Write a value that starts with a dash as ${rawName.startsWith('--') ? rawName : `--${name}`}=<value>.`,
    })
  // A blank name would leave the upload without a visible name in listings.
  const isBlank = name === 'name' && value?.trim() === ''
  if (isBlank || (value === '' && emptyIsNothing.has(option.value)))
    throw new CairnError('USAGE', { message: `${rawName} is empty: <${option.value}>`, hint })
}

function unknownOption({ name, rawName }: Token, options: Options, hint: string): CairnError {
  const meant = rawName.startsWith('--') ? findNearest(name, Object.keys(options)) : undefined
  return new CairnError('USAGE', {
    message: `Unknown option ${rawName}`,
    hint:
      meant === undefined
        ? `${hint} Write an argument that starts with a dash after --.`
        : `Did you mean --${meant}? ${hint}`,
  })
}

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { CairnError, findNearest, withoutTrailing } from '@cairn/protocol'

/** One environment variable: its parser, default and purpose. */
export type Setting<T> = { about: string; fallback: string; read(text: string): T }

/** Parsed values of a record of settings. */
export type SettingValues<Settings extends Record<string, Setting<unknown>>> = {
  [Name in keyof Settings]: ReturnType<Settings[Name]['read']>
}

/** Variables of clients, which may be in the same environment. */
const clientNames = new Set(['CAIRN_NETWORK', 'CAIRN_API_KEY', 'CAIRN_CONFIG_HOME', 'CAIRN_PASSWORD_FILE'])

/** Returns a text unchanged. */
export const text: (value: string) => string = (value) => value

/** Parses values separated by commas. */
export const list = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Parses a whole number in a range. */
export function whole(min: number, max: number): (text: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}`)
    return number
  }
}

/** Parses IP addresses and networks such as 10.0.0.0/8, separated by commas. */
export function addressList(value: string): string[] {
  const found = list(value)
  const wrong = found.find((one) => {
    const [address = '', bits, ...rest] = one.split('/')
    const family = isIP(address)
    const isWhole = bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
    return family === 0 || !isWhole || rest.length > 0
  })
  if (wrong !== undefined)
    throw new Error(`must be IP addresses or networks such as 10.0.0.0/8, separated by commas, but contains ${wrong}`)
  return found
}

/** Parses an http or https URL and strips trailing slashes. */
export function url(value: string): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) throw new Error('must be an http or https URL')
  return withoutTrailing(value, '/')
}

/** Parses the empty text as undefined. */
export function optional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (value) => (value === '' ? undefined : read(value))
}

/** Parses one of several keywords. */
export function oneOf<const Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (value) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return found
  }
}

/** Parses `on` or `off`. */
export const onOff = (value: string): boolean => oneOf(['on', 'off'])(value) === 'on'

/** Parses a whole number of seconds in a range. Returns ms. */
export function seconds(min: number, max: number): (text: string) => number {
  return (value) => whole(min, max)(value) * 1000
}

/** Parses a whole number of days in a range. Returns ms. */
export function days(min: number, max: number): (text: string) => number {
  return (value) => whole(min, max)(value) * 86_400_000
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Parses the URL of a PostgreSQL database; empty means SQLite. */
export function databaseUrl(value: string): string | undefined {
  if (value === '') return undefined
  // The text itself stays out of the message: it may contain a password.
  if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('must be empty (SQLite) or a postgres:// URL')
  return value
}

/**
 * Reads settings from an environment; `NAME_FILE` names a file with the value of `NAME`.
 * @param foreign names of other services, which are not errors; neither are those of clients and tests
 * @throws CairnError INVALID_CONFIGURATION naming every invalid setting, and every unknown CAIRN_ name
 */
export function readSettings<Settings extends Record<string, Setting<unknown>>>(
  settings: Settings,
  environment: Record<string, string | undefined>,
  { foreign }: { foreign: ReadonlySet<string> },
): SettingValues<Settings> {
  const problems: string[] = []
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings)) {
    try {
      values[name] = setting.read(readValue(environment, name) ?? setting.fallback)
    } catch (error) {
      const problem = cap(error instanceof Error ? error.message : 'is not valid')
      // Parsers of documents name the setting themselves.
      problems.push(problem.startsWith(name) ? problem : `${name} ${problem}`)
    }
  }
  for (const name of Object.keys(environment)) {
    const bare = name.replace(/_FILE$/, '')
    const known = Object.hasOwn(settings, bare) || foreign.has(name) || foreign.has(bare) || clientNames.has(name)
    if (name.startsWith('CAIRN_') && !name.startsWith('CAIRN_TEST_') && !known)
      problems.push(describeUnknown(cap(name), [...Object.keys(settings), ...foreign]))
  }
  if (problems.length > 0) {
    throw new CairnError('INVALID_CONFIGURATION', { message: problems.join('; '), details: { problems } })
  }
  // Each value was parsed by its own setting above.
  return values as SettingValues<Settings>
}

const maxWordCharacters = 100
const maxProblemCharacters = 600

/** Shortens the value that a problem quotes: one that is set by mistake may be a whole file, and would fill the log. */
function cap(problem: string): string {
  const words = problem.replace(/\S+/g, (word) => shorten(word, maxWordCharacters))
  return shorten(words, maxProblemCharacters)
}

function shorten(value: string, maxCharacters: number): string {
  return value.length <= maxCharacters ? value : `${value.slice(0, maxCharacters).toWellFormed()}…`
}

function describeUnknown(name: string, names: readonly string[]): string {
  const isFile = name.endsWith('_FILE')
  const nearest = findNearest(name.replace(/_FILE$/, ''), names)
  return `${name} is not a setting${nearest === undefined ? '' : `, did you mean ${nearest}${isFile ? '_FILE' : ''}?`}`
}

function readValue(environment: Record<string, string | undefined>, name: string): string | undefined {
  const file = environment[`${name}_FILE`]
  if (file === undefined) return environment[name]
  if (environment[name] !== undefined) throw new Error(`is set twice, directly and through ${name}_FILE`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    // The path stays out of the message: it may be the secret itself, set in the wrong variable.
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new Error(`cannot be read: the file named by ${name}_FILE cannot be opened${code}`, { cause: error })
  }
}

import { readFileSync } from 'node:fs'
import { CairnError } from '@cairn/protocol'

/** One variable of the environment: how it is read, what holds without it, what it is for. */
export type Setting<T> = { about: string; fallback: string; read(text: string): T }

/** What a record of settings reads to. */
export type SettingValues<Settings extends Record<string, Setting<unknown>>> = {
  [Name in keyof Settings]: ReturnType<Settings[Name]['read']>
}

/** Names that clients read, and that may stand in the same environment. */
const clientNames = new Set(['CAIRN_NETWORK', 'CAIRN_API_KEY', 'CAIRN_CONFIG_HOME', 'CAIRN_PASSWORD_FILE'])

/** Reads a text as it is. */
export const text: (value: string) => string = (value) => value

/** Reads parts separated by commas. */
export const list = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Reads a whole number in a range. */
export function whole(least: number, most: number): (text: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}`)
    return number
  }
}

/** Reads an http or https URL; slashes at its end are dropped. */
export function url(value: string): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) throw new Error('must be an http or https URL')
  return value.replace(/\/+$/, '')
}

/** Reads the empty text as nothing. */
export function optional<T>(read: (text: string) => T): (text: string) => T | undefined {
  return (value) => (value === '' ? undefined : read(value))
}

/** Reads one of some words. */
export function oneOf<const Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (value) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return found
  }
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Reads the URL of a PostgreSQL database; empty is SQLite. */
export function databaseUrl(value: string): string | undefined {
  if (value === '') return undefined
  // The text itself stays out of the message: it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(value)) throw new Error('must be empty (SQLite) or a postgres:// URL')
  return value
}

/**
 * Reads settings out of an environment; `NAME_FILE` names a file that holds the value of `NAME`.
 * @param foreign names that other services read: known, so that they are no error here; so are those of clients and tests
 * @throws CairnError INVALID_CONFIGURATION naming every setting that is wrong, and every CAIRN_ name that is unknown
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
      problems.push(`${name} ${error instanceof Error ? error.message : 'is not valid'}`)
    }
  }
  for (const name of Object.keys(environment)) {
    const bare = name.replace(/_FILE$/, '')
    const known = Object.hasOwn(settings, bare) || foreign.has(name) || foreign.has(bare) || clientNames.has(name)
    if (name.startsWith('CAIRN_') && !name.startsWith('CAIRN_TEST_') && !known)
      problems.push(`${name} is not a setting`)
  }
  if (problems.length > 0) {
    throw new CairnError('INVALID_CONFIGURATION', { message: problems.join('; '), details: { problems } })
  }
  // Each value was read by its own setting, just above.
  return values as SettingValues<Settings>
}

function readValue(environment: Record<string, string | undefined>, name: string): string | undefined {
  const file = environment[`${name}_FILE`]
  if (file === undefined) return environment[name]
  if (environment[name] !== undefined) throw new Error(`is set twice: by itself and by ${name}_FILE`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read: ${name}_FILE names a file that does not open`, { cause: error })
  }
}

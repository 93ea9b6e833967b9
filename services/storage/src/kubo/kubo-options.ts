import { CairnError } from '@cairn/protocol'

/**
 * Options that any call of Kubo takes. Those about the client, its daemon and providing to a network change no answer of
 * this service.
 */
const commonOptions: ReadonlySet<string> = new Set([
  'arg',
  'encoding',
  'stream-channels',
  'timeout',
  'offline',
  'local',
  'debug',
  'api',
  'api-auth',
  'fast-provide-root',
  'fast-provide-dag',
  'fast-provide-wait',
])

/**
 * Refuses what a call does not know: an option that is ignored would answer another question than the one asked.
 * @throws CairnError INVALID_REQUEST with the options in `details.unknown`
 */
export function requireKnownOptions(query: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(query).filter((name) => !commonOptions.has(name) && !known.includes(name))
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => `"${name.slice(0, 64)}"`)
    throw new CairnError('INVALID_REQUEST', {
      message: `This call does not take the option ${names.join(', ')}`,
      hint: 'See "What differs from Kubo" in the documentation.',
      details: { unknown: unknown.slice(0, 10).map((name) => name.slice(0, 64)) },
    })
  }
  const { encoding } = query
  if (encoding !== undefined && encoding !== 'json') {
    throw new CairnError('INVALID_REQUEST', { message: 'Answers are JSON: send encoding=json, or no encoding' })
  }
}

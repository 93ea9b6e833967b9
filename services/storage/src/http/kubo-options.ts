import { CairnError } from '@cairn/protocol'

/**
 * Options that every Kubo call accepts. Those about the client, its daemon and providing to a network have no effect
 * on this service.
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
 * Rejects unknown options: with one ignored, the answer would not be the requested one.
 * @throws CairnError INVALID_REQUEST with the options in `details.unknown`
 */
export function requireKnownOptions(query: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const unknown = Object.keys(query).filter((name) => !commonOptions.has(name) && !known.includes(name))
  if (unknown.length > 0) {
    const names = unknown.slice(0, 10).map((name) => `"${name.slice(0, 64)}"`)
    throw new CairnError('INVALID_REQUEST', {
      message: `This call does not support the option ${names.join(', ')}`,
      hint: 'See "Differences from Kubo" in docs/how-to/kubo.md.',
      details: { unknown: unknown.slice(0, 10).map((name) => name.slice(0, 64)) },
    })
  }
  const { encoding } = query
  if (encoding !== undefined && encoding !== 'json') {
    throw new CairnError('INVALID_REQUEST', { message: 'Responses are JSON. Send encoding=json, or omit encoding' })
  }
}

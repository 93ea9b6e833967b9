import { CairnError, withoutTrailing } from '@cairn/protocol'

/**
 * Requires that a URL lies below one of the configured sources, by origin and whole path segments.
 * @throws CairnError SOURCE_NOT_ALLOWED
 */
export function requireSource(sources: readonly string[], text: string): void {
  if (sources.some((source) => isBelow(source, text))) return
  // Only the origin: the rest of the URL may contain credentials.
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  throw new CairnError('SOURCE_NOT_ALLOWED', {
    ...(origin === 'null' ? {} : { message: `This provider does not fetch from that URL of ${origin}` }),
    hint: 'Use a URL under one of the sources that the operator of the provider allows (CAIRN_PROVIDER_SOURCES). The addresses must be equal: localhost is not 127.0.0.1.',
  })
}

function isBelow(source: string, text: string): boolean {
  if (!URL.canParse(text)) return false
  const wanted = new URL(text)
  const base = new URL(source)
  if (wanted.origin !== base.origin || wanted.username !== '' || wanted.password !== '') return false
  const folder = withoutTrailing(base.pathname, '/')
  if (folder === '') return true
  // URL resolves dots, but not encoded slashes and backslashes, which the server may resolve.
  if (/%2f|%5c|\\/i.test(wanted.pathname)) return false
  return wanted.pathname === folder || wanted.pathname.startsWith(`${folder}/`)
}

import { CairnError } from '@cairn/protocol'

/**
 * Requires that a URL lies below one of the configured sources, by origin and whole path segments.
 * @throws CairnError SOURCE_NOT_ALLOWED
 */
export function requireSource(sources: readonly string[], text: string): void {
  if (!sources.some((source) => isBelow(source, text))) throw new CairnError('SOURCE_NOT_ALLOWED')
}

function isBelow(source: string, text: string): boolean {
  if (!URL.canParse(text)) return false
  const wanted = new URL(text)
  const base = new URL(source)
  if (wanted.origin !== base.origin || wanted.username !== '' || wanted.password !== '') return false
  const folder = base.pathname.replace(/\/+$/, '')
  if (folder === '') return true
  // URL resolves dots, but not encoded slashes and backslashes, which the server may resolve.
  if (/%2f|%5c|\\/i.test(wanted.pathname)) return false
  return wanted.pathname === folder || wanted.pathname.startsWith(`${folder}/`)
}

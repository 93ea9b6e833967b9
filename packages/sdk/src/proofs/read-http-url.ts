import { CairnError } from '@cairn/protocol'

/**
 * A URL that a service names, in one form. Only http and https: data: and blob: URLs would be the service's own words.
 * @throws CairnError PROOF_INVALID
 */
export function readHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new CairnError('PROOF_INVALID', { details: { reason: 'The service names a URL that is none of a provider' } })
  }
  return url.href
}

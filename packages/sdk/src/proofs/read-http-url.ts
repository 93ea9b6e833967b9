import { CairnError, proofReason } from '@cairn/protocol'

/**
 * Normalises a URL that a service names. Only http and https: with a data: or blob: URL the service would answer
 * itself.
 * @throws CairnError PROOF_INVALID
 */
export function readHttpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new CairnError('PROOF_INVALID', { details: proofReason('PROVIDER_URL_INVALID') })
  }
  return url.href
}

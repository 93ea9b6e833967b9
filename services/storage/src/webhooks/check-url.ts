import { isIP } from 'node:net'
import { CairnError } from '@cairn/protocol'
import { isPublicAddress } from '@cairn/service'
import type { StorageConfig } from '../config.ts'

/**
 * Checks the URL of a webhook early, so that mistakes show when it is created. Each delivery checks the addresses that it
 * connects to.
 * @throws CairnError INVALID_WEBHOOK_URL, ADDRESS_NOT_ALLOWED
 */
export function checkUrl({ allowsPrivateWebhooks }: Pick<StorageConfig, 'allowsPrivateWebhooks'>, text: string): void {
  if (allowsPrivateWebhooks) return
  const { protocol, host, hostname } = new URL(text)
  if (protocol !== 'https:') throw new CairnError('INVALID_WEBHOOK_URL')
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0 || isPublicAddress(address)) return
  throw new CairnError('ADDRESS_NOT_ALLOWED', { message: `${host} is not on the public internet`, details: { host } })
}

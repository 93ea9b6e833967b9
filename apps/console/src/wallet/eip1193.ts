import type { EIP1193Provider } from 'viem'

/** What a connector gives is a wallet's own object: as long as it takes requests, it is one. */
export function isEip1193Provider(value: unknown): value is EIP1193Provider {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'
}

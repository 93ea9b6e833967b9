import type { EIP1193Provider } from 'viem'

/** A connector returns an object of the wallet: any object that accepts requests qualifies. */
export function isEip1193Provider(value: unknown): value is EIP1193Provider {
  return typeof value === 'object' && value !== null && 'request' in value && typeof value.request === 'function'
}

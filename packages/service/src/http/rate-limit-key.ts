import { isIPv6 } from 'node:net'

/**
 * Returns the rate limit key of an IP address: for IPv6 its first 64 bits, because one line has any number of
 * addresses.
 * @see https://www.rfc-editor.org/rfc/rfc6177
 */
export function rateLimitKey(ip: string): string {
  if (!ip.includes(':') || ip.includes('.') || !isIPv6(ip)) return ip
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

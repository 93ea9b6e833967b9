import { isIPv4 } from 'node:net'

/** Codes of the parts of an HTTP address. @see https://github.com/multiformats/multiaddr/blob/master/protocols.csv */
const codes: Readonly<Record<string, number>> = { ip4: 4, tcp: 6, ip6: 41, dns: 53, p2p: 421, https: 443, http: 480 }

/** Encodes the multiaddr of an HTTP server, such as `/dns/host/tcp/443/https`, followed by its peer id. */
export function toMultiaddrBytes(address: string, peer: Uint8Array): Uint8Array {
  const [, kind = '', host = '', , port = '', scheme = ''] = address.split('/')
  const sized = (value: Uint8Array) => [...varint(value.length), ...value]
  return Uint8Array.from([
    ...codeOf(kind),
    ...(kind === 'dns' ? sized(Buffer.from(host)) : kind === 'ip4' ? ip4(host) : ip6(host)),
    ...codeOf('tcp'),
    Number(port) >> 8,
    Number(port) & 0xff,
    ...codeOf(scheme),
    ...codeOf('p2p'),
    ...sized(peer),
  ])
}

function codeOf(name: string): number[] {
  const code = codes[name]
  if (code === undefined) throw new TypeError(`Not part of the address of an HTTP server: ${name}`)
  return varint(code)
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)]
}

function ip4(host: string): number[] {
  return host.split('.').map(Number)
}

function ip6(host: string): number[] {
  const [head = '', tail] = host.split('::')
  const left = groups(head)
  const right = groups(tail ?? '')
  const zeros = new Array<number>(16 - left.length - right.length).fill(0)
  return [...left, ...zeros, ...right]
}

function groups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (isIPv4(group)) return ip4(group)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}

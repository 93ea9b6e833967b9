import { BlockList, isIP } from 'node:net'

/** Returns a function that matches addresses against `networks`: addresses, or networks such as `10.0.0.0/8`. */
export function matchAddresses(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
    return isIP(mapped) !== 0 && list.check(mapped, isIP(mapped) === 6 ? 'ipv6' : 'ipv4')
  }
}

import { expect, test } from 'vitest'
import { gatewayUrl } from './gateway-url.ts'

const network = { gateway: 'http://127.0.0.1:8081/' }

test('escapes each part of a path on its own', () => {
  expect(gatewayUrl(network, 'bafyone/a b/ü?#.txt')).toBe('http://127.0.0.1:8081/ipfs/bafyone/a%20b/%C3%BC%3F%23.txt')
})

test('adds a signature to the other parameters', () => {
  expect(gatewayUrl(network, 'bafyone/a', { filename: 'a', signature: '?expires=7&signature=AB-_' })).toBe(
    'http://127.0.0.1:8081/ipfs/bafyone/a?filename=a&expires=7&signature=AB-_',
  )
})

test('a download names its file', () => {
  expect(gatewayUrl(network, 'bafyone', { download: true, filename: 'my file.txt' })).toBe(
    'http://127.0.0.1:8081/ipfs/bafyone?filename=my+file.txt&download=true',
  )
})

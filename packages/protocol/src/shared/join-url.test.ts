import { expect, test } from 'vitest'
import { joinUrl } from './join-url.ts'

test.each([
  ['https://gateway.example', 'https://gateway.example/ipfs/b'],
  ['https://gateway.example/', 'https://gateway.example/ipfs/b'],
  ['https://example.org/gateway//', 'https://example.org/gateway/ipfs/b'],
])('joins %s with a path by one slash', (base, url) => expect(joinUrl(base, '/ipfs/b')).toBe(url))

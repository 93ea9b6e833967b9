import type { Network } from '../network.ts'
import { chainPart, httpPart, solanaPart, type WatchedPart } from './watched-part.ts'

/** Probe of the gateway: empty content, which is part of its CID. */
const emptyContent = '/ipfs/bafkqaaa'

/** Returns the services of a network with their probes. */
export function watchedParts({ profile, chain, solana }: Network): WatchedPart[] {
  const { api, gateway, keyRouter, keyNodes = [], providers = [] } = profile
  return [
    ...(chain === undefined ? [] : [chainPart(chain.url)]),
    ...(solana === undefined ? [] : [solanaPart(solana.url)]),
    httpPart('The storage service', api, '/readyz', 'Uploads and lists fail until it responds.'),
    httpPart('The gateway', gateway, emptyContent, 'Downloads fail until it responds.'),
    ...(keyRouter === undefined
      ? []
      : [
          httpPart(
            'The key router',
            keyRouter,
            '/readyz',
            'Published clients cannot open encrypted files until it responds.',
          ),
        ]),
    ...keyNodes.map((url, i) =>
      httpPart(
        `Key node ${i + 1}`,
        url,
        '/readyz',
        'Encrypted files can be opened while three of the five key nodes respond.',
      ),
    ),
    ...providers.map(({ url }, i) =>
      httpPart(
        `Storage provider ${i + 1}`,
        url,
        '/readyz',
        'Files stay readable. Its proofs are missing until it responds.',
      ),
    ),
  ]
}

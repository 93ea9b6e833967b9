import type { Network } from './network.ts'
import { chainPart, httpPart, type WatchedPart } from './watched-part.ts'

/** What is asked of the gateway: the empty content, which is in its own identifier. */
const emptyContent = '/ipfs/bafkqaaa'

/** The parts of a network, and how each is asked. */
export function watchedParts({ profile, chain }: Network): WatchedPart[] {
  const { api, gateway, keyRouter, keyNodes = [], providers = [] } = profile
  return [
    ...(chain === undefined ? [] : [chainPart(chain.url)]),
    httpPart('The storage service', api, '/readyz', 'Uploads and lists fail until it does.'),
    httpPart('The gateway', gateway, emptyContent, 'Downloads fail until it does.'),
    ...(keyRouter === undefined
      ? []
      : [
          httpPart(
            'The key router',
            keyRouter,
            '/readyz',
            'Published clients cannot open encrypted files until it does.',
          ),
        ]),
    ...keyNodes.map((url, i) =>
      httpPart(`Key node ${i + 1}`, url, '/readyz', 'Encrypted files open while three of the five key nodes answer.'),
    ),
    ...providers.map(({ url }, i) =>
      httpPart(
        `Storage provider ${i + 1}`,
        url,
        '/readyz',
        'Files stay readable; its proofs are missing until it does.',
      ),
    ),
  ]
}

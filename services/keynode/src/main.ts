import { runService } from '@cairn/service'
import { readKeyNodeConfig } from './config.ts'
import { startKeyNode } from './start.ts'

await runService({
  start: () => startKeyNode(readKeyNodeConfig()),
  describe: (node) => ({ url: node.url, publicKey: node.publicKey }),
  onFailure: (node, error) => node.context.log.fatal({ err: error }, 'unhandled rejection'),
})

import { runService } from '@cairn/service'
import { readKeyRouterConfig } from './config.ts'
import { startRouter } from './start-router.ts'

await runService({
  start: () => startRouter(readKeyRouterConfig()),
  describe: (router) => ({ url: router.url }),
  onFailure: (router, error) => router.context.log.fatal({ err: error }, 'unhandled rejection'),
})

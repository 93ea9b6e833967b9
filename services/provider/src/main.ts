import { runService } from '@cairn/service'
import { readProviderConfig } from './config.ts'
import { startProvider } from './start.ts'

await runService({
  start: () => startProvider(readProviderConfig()),
  describe: (provider) => ({ url: provider.url, publicKey: provider.id }),
  onFailure: (provider, error) => provider.context.log.fatal({ err: error }, 'unhandled rejection'),
})

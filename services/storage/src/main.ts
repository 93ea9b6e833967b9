import { runService } from '@cairn/service'
import { readConfig } from './config.ts'
import { startStorage } from './start.ts'

await runService({
  start: () => startStorage(readConfig()),
  describe: (storage) => ({ url: storage.apiUrl }),
  onFault: (storage, error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'),
})

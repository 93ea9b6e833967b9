import { runService } from '@cairn/service'
import { readConfig } from './config.ts'
import { requireSecretSetting } from './db/shared-secret.ts'
import { startStorage } from './start.ts'

await runService({
  start: () => {
    const config = readConfig()
    requireSecretSetting(config)
    return startStorage(config)
  },
  describe: (storage) => ({ url: storage.apiUrl }),
  onFailure: (storage, error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'),
})

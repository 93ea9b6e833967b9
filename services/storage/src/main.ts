import { runService } from '@cairn/service'
import { readConfig } from './config.ts'
import { requireSecretSetting } from './db/shared-secret.ts'
import { collectGarbage } from './resources/collect-garbage.ts'
import { startStorage } from './start.ts'

await runService({
  start: async () => {
    const config = readConfig()
    requireSecretSetting(config)
    const storage = await startStorage(config)
    // The start leaves much garbage, and little of it in a service that is idle from now on.
    await collectGarbage()
    return storage
  },
  describe: (storage) => ({ url: storage.apiUrl }),
  onFailure: (storage, error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'),
})

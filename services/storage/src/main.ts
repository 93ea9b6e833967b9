import { untilStopped } from '@cairn/service'
import { readConfig } from './config.ts'
import { startStorage } from './start.ts'

const storage = await startStorage(readConfig())
await untilStopped((error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'))
await storage[Symbol.asyncDispose]()

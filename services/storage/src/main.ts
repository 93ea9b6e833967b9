import { readConfig } from './config.ts'
import { startStorage } from './start.ts'
import { untilStopped } from './until-stopped.ts'

const storage = await startStorage(readConfig())
await untilStopped((error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'))
await storage[Symbol.asyncDispose]()

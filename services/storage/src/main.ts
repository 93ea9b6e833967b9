import { readConfig } from './config.ts'
import { startStorage } from './start.ts'

const storage = await startStorage(readConfig())
const ended = Promise.withResolvers<void>()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve())
// In doubt a process ends rather than runs on: the supervisor starts it anew, and recovery is the start.
process.once('unhandledRejection', (error) => {
  storage.context.log.fatal({ err: error }, 'unhandled rejection')
  process.exitCode = 1
  ended.resolve()
})
await ended.promise
await storage[Symbol.asyncDispose]()

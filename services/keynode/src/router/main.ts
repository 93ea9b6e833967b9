import { untilStopped } from '@cairn/service'
import { readKeyRouterConfig } from './config.ts'
import { startRouter } from './start-router.ts'

const router = await startRouter(readKeyRouterConfig())
process.send?.({ url: router.url })
await untilStopped((error) => router.context.log.fatal({ err: error }, 'unhandled rejection'))
await router[Symbol.asyncDispose]()
// The channel to whoever started it would keep the process.
if (process.connected) process.disconnect()

import { untilStopped } from '@cairn/service'
import { readKeyRouterConfig } from './config.ts'
import { startRouter } from './start-router.ts'

const router = await startRouter(readKeyRouterConfig())
await untilStopped((error) => router.context.log.fatal({ err: error }, 'unhandled rejection'))
await router[Symbol.asyncDispose]()

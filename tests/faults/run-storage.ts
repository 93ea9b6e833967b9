import { untilStopped } from '@cairn/service'
import { readConfig, startStorage } from '@cairn/storage'

// A storage service in a process of its own, to be killed: it prints where it is and runs until then.
const storage = await startStorage(readConfig())
const { apiUrl: api, gatewayUrl: gateway, metricsUrl: metrics } = storage
process.stdout.write(`${JSON.stringify({ api, gateway, metrics })}\n`)
await untilStopped((error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'))
await storage[Symbol.asyncDispose]()

import { untilStopped } from '@cairn/service'
import { readConfig, startStorage } from '@cairn/storage'

// A storage service in its own process, to be killed: prints its URL and runs until then. With --expose-gc it
// collects garbage at SIGUSR2 and prints the memory in use.
const storage = await startStorage(readConfig())
const { apiUrl: api, gatewayUrl: gateway, metricsUrl: metrics } = storage
const print = (what: unknown) => process.stdout.write(`${JSON.stringify(what)}\n`)
process.on('SIGUSR2', () => {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  print({ usedBytes: heapUsed + arrayBuffers })
})
print({ api, gateway, metrics })
await untilStopped((error) => storage.context.log.fatal({ err: error }, 'unhandled rejection'))
await storage[Symbol.asyncDispose]()

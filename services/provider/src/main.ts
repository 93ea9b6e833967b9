import { untilStopped } from '@cairn/service'
import { readProviderConfig } from './config.ts'
import { startProvider } from './start.ts'

const provider = await startProvider(readProviderConfig())
process.send?.({ url: provider.url, publicKey: provider.id })
await untilStopped((error) => provider.context.log.fatal({ err: error }, 'unhandled rejection'))
await provider[Symbol.asyncDispose]()
// The channel to whoever started it would keep the process.
if (process.connected) process.disconnect()

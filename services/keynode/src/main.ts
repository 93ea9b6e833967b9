import { untilStopped } from '@cairn/service'
import { readKeyNodeConfig } from './config.ts'
import { startKeyNode } from './start.ts'

const node = await startKeyNode(readKeyNodeConfig())
process.send?.({ url: node.url, publicKey: node.publicKey })
await untilStopped((error) => node.context.log.fatal({ err: error }, 'unhandled rejection'))
await node[Symbol.asyncDispose]()
// The channel to whoever started it would keep the process.
if (process.connected) process.disconnect()

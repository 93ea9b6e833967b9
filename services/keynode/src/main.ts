import { untilStopped } from '@cairn/service'
import { readKeyNodeConfig } from './config.ts'
import { startKeyNode } from './start.ts'

const node = await startKeyNode(readKeyNodeConfig())
await untilStopped((error) => node.context.log.fatal({ err: error }, 'unhandled rejection'))
await node[Symbol.asyncDispose]()

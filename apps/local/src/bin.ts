// `npm start`: reads the arguments, and runs the network from its bundle.
import { pathToFileURL } from 'node:url'
import { keepNetworkBundle, openNetworkBundle } from './bundle/network-bundle.ts'

const usage = `Usage: npm start
Runs a whole network on this machine until Ctrl-C. It takes no arguments: settings are environment variables, such as
CAIRN_HOME (.cairn) and CAIRN_PORT_OFFSET (0). docs/configuration.md lists them.
`

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const [argument] = process.argv.slice(2)
if (argument !== undefined) {
  const isHelp = argument === '--help' || argument === '-h'
  if (isHelp) process.stdout.write(usage)
  else process.stderr.write(`npm start takes no argument, but ${JSON.stringify(argument)} was given.\n${usage}`)
  process.exit(isHelp ? 0 : 2)
}

const stop = new AbortController()
const end = () => stop.abort()
for (const signal of stopSignals) process.on(signal, end)
const program = await openNetworkBundle(stop.signal).catch((error: unknown) => {
  if (stop.signal.aborted) process.exit(130)
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}. The network runs from its sources.\n`,
  )
  return undefined
})
for (const signal of stopSignals) process.off(signal, end)
if (program !== undefined) keepNetworkBundle(program)
await (program === undefined ? import('./run-network.ts') : import(pathToFileURL(program).href))

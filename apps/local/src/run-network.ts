// The complete network on this machine, until Ctrl-C. `bin.ts` starts it, from its bundle or from these sources.
import { flushCompileCache } from 'node:module'
import { relative } from 'node:path'
import { explainFailure, keepFilesPrivate, metricsPortDistance, untilStopped } from '@cairn/service'
import { networkFile } from './home/network-file.ts'
import { commandFor, networkHome } from './home/network-home.ts'
import { createNetwork, type Network } from './network.ts'
import { watchParts } from './processes/watch-parts.ts'
import { watchedParts } from './processes/watched-parts.ts'

keepFilesPrivate()

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function warn(text: string): void {
  process.stderr.write(`${text}\n`)
}

function greet({ home, profile, storage, solana }: Network): void {
  const seconds = (performance.now() / 1000).toFixed(1)
  const cairn = commandFor(home)
  print(`
Cairn is ready after ${seconds} s.

  Console           ${storage.context.config.consoleFolder === undefined ? 'none: it is not built, and the bundler is not installed' : profile.api}
  API and uploads   ${profile.api}
  Gateway           ${profile.gateway}
  S3                ${profile.s3?.endpoint ?? 'off'}
  Key router        ${profile.keyRouter}
  Key nodes         ${(profile.keyNodes ?? []).join('  ')}
  Providers         ${profile.providers?.map(({ url }) => url).join('  ') ?? 'set by CAIRN_PROVIDERS'}
  Chain             ${profile.chain?.rpcUrl ?? 'none: `anvil` is not installed, payments are disabled'}
  Solana            ${solana?.url ?? 'none: conditions on Solana are not available'}
  Metrics           ${storage.metricsUrl === undefined ? 'off' : `${storage.metricsUrl}, and on the port of each other service plus ${metricsPortDistance}`}
  API reference     ${profile.api}/docs
  Profile           ${relative('', networkFile(home)) || networkFile(home)}
  Test wallet       ${profile.wallet.address}

In a second terminal, try:

  ${cairn} upload README.md
  ${cairn} ls${profile.chain === undefined ? '' : `\n  ${cairn} pay 1GiB --coin usdc`}
  curl ${profile.gateway}/ipfs/<cid>

Press Ctrl-C to stop. Your data stays in ${relative('', home) || home}.`)
}

function complain(error: unknown): void {
  warn(explainFailure(error))
}

/**
 * Forces an exit if a part keeps the network from stopping: requests in progress and children have different limits.
 */
function endInTime({ storage }: Network): void {
  const limitMs = 2 * storage.context.config.stopTimeoutMs + 10_000
  const timer = setTimeout(() => {
    warn(`The network did not stop within ${limitMs / 1000} s and is being killed. Stored data is safe.`)
    process.exit(1)
  }, limitMs)
  timer.unref()
}

const stop = new AbortController()
const stopped = untilStopped(complain).then(() => stop.abort())
// A closed terminal removes the output, not the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

let isReady = false
try {
  await using network = await createNetwork({
    home: networkHome(process.env),
    keyNodes: 'processes',
    providers: 3,
    console: 'build',
    onBuildConsole: () => print('Building the web console …'),
    onNotice: warn,
    environment: process.env,
    signal: stop.signal,
  })
  isReady = true
  greet(network)
  flushCompileCache()
  await using _watch = watchParts(watchedParts(network), { print: warn })
  await stopped
  endInTime(network)
} catch (error) {
  const isInterrupted = stop.signal.aborted && !isReady
  if (!isInterrupted) complain(error)
  process.exitCode = isInterrupted ? 130 : 1
}

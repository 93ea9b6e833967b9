// `npm start`: the whole network on this machine, until Ctrl-C.
import { relative, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { metricsPortDistance, untilStopped } from '@cairn/service'
import { createNetwork, type Network } from './network.ts'
import { networkFile } from './network-file.ts'

const started = performance.now()

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

function greet({ home, profile, storage }: Network): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  say(`
Cairn is ready after ${seconds} s.

  Console           ${storage.context.config.consoleFolder === undefined ? 'none: it is not built, and the bundler is not installed' : profile.api}
  API and uploads   ${profile.api}
  Gateway           ${profile.gateway}
  Key router        ${profile.keyRouter}
  Key nodes         ${(profile.keyNodes ?? []).join('  ')}
  Providers         ${profile.providers?.map(({ url }) => url).join('  ') ?? 'those of CAIRN_PROVIDERS'}
  Chain             ${profile.chain?.rpcUrl ?? 'none: this machine has no `anvil`, so nothing can be paid'}
  Metrics           ${storage.metricsUrl === undefined ? 'off' : `${storage.metricsUrl}, and ${metricsPortDistance} above the port of each other service`}
  Every call        ${profile.api}/docs
  Profile           ${relative('', networkFile(home)) || networkFile(home)}
  Test wallet       ${profile.wallet.address}

Try, in a second terminal:

  npm run cairn -- api-key new
  npm run cairn -- upload README.md
  npm run cairn -- pay 1GiB --coin usdc
  curl ${profile.gateway}/ipfs/<cid>

Ctrl-C ends it; your data stays in ${relative('', home) || home}.`)
}

function complain(error: unknown): void {
  const known = CairnError.is(error)
  const lines = known ? [error.message, error.hint] : [error instanceof Error ? (error.stack ?? error.message) : error]
  process.stderr.write(`${lines.join('\n')}\n`)
}

const stopped = untilStopped(complain)
// A closed terminal takes away the output, not the service.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  await using network = await createNetwork({
    home: resolve(process.env['CAIRN_HOME'] ?? '.cairn'),
    keyNodes: 'processes',
    providers: 3,
    console: 'build',
    onBuildConsole: () => say('Building the web console …'),
    environment: process.env,
  })
  greet(network)
  await stopped
} catch (error) {
  complain(error)
  process.exitCode = 1
}

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { providerSettings, readProviderConfig } from '@cairn/provider'
import { programs } from './bundle/programs.ts'
import { openSecret } from './home/open-secret.ts'
import { type Environment, pickSettings } from './pick-settings.ts'
import { createPartGroup } from './processes/part-group.ts'
import { spawnService } from './processes/spawn-service.ts'

/** A storage provider, with its URL and id. */
type Part = AsyncDisposable & { readonly url: string; readonly id: string }

/** The storage providers of a local network. */
export type ProviderNetwork = AsyncDisposable & {
  readonly providers: readonly Part[]
  /** Value of the setting CAIRN_PROVIDERS for the storage service. */
  readonly setting: string
}

export type ProviderNetworkOptions = {
  home: string
  host: string
  /** Port of each; 0 selects a free one. */
  ports: readonly number[]
  /** `processes`: each in its own process, as operators run them. `inside`: all in this process, for tests. */
  run: 'processes' | 'inside'
  /** Allowed sources of pieces; read at each offer, because a service on a free port has no URL before it runs. */
  sources(): readonly string[]
  /** Time limit for requests in progress at shutdown, in ms. */
  stopTimeoutMs: number
  /** Aborts the start. */
  signal?: AbortSignal | undefined
  /** `CAIRN_` settings from the environment. */
  environment: Environment
  /** Names that other services read. */
  foreign: ReadonlySet<string>
}

/** Returns the folder of one provider, with its own pieces and secrets. */
function providerFolder(home: string, number: number): string {
  return join(home, 'providers', String(number))
}

/**
 * Starts one provider per port.
 * @throws CairnError INVALID_CONFIGURATION, UNAVAILABLE
 */
export async function startProviderNetwork(options: ProviderNetworkOptions): Promise<ProviderNetwork> {
  const group = createPartGroup()
  await using stack = new AsyncDisposableStack()
  stack.use(group)
  const starting = options.ports.map((port, i) => startOne(options, i + 1, port))
  const settled = await Promise.allSettled(starting)
  const providers = settled.flatMap((one) => (one.status === 'fulfilled' ? [group.use(one.value)] : []))
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  const setting = JSON.stringify(
    providers.map(({ url }, i) => ({
      name: providerName(i + 1),
      kind: 'cairn',
      url,
      keyFile: accessKeyFile(options.home, i + 1),
    })),
  )
  const running = stack.move()
  return { providers, setting, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function startOne(options: ProviderNetworkOptions, number: number, port: number): Promise<Part> {
  const { home, host, run, sources, stopTimeoutMs, signal, foreign } = options
  const folder = providerFolder(home, number)
  await openSecret(join(folder, 'secret.key'), 'it signs the proofs of this provider')
  await openSecret(accessKeyFile(home, number), 'it identifies the provider to the storage service')
  const environment = {
    ...options.environment,
    CAIRN_PROVIDER_NAME: providerName(number),
    CAIRN_PROVIDER_HOME: folder,
    CAIRN_PROVIDER_HOST: host,
    CAIRN_PROVIDER_PORT: String(port),
    CAIRN_PROVIDER_SECRET_FILE: join(folder, 'secret.key'),
    CAIRN_PROVIDER_KEY_FILE: accessKeyFile(home, number),
    CAIRN_PROVIDER_SOURCES: sources().join(','),
  }
  if (run === 'inside') {
    const config = readProviderConfig(environment, foreign)
    // Loaded only here: with processes, this one needs none of it.
    const { startProvider } = await import('@cairn/provider')
    return startProvider({
      ...config,
      get sources() {
        return sources()
      },
    })
  }
  const service = await spawnService({
    // Three providers hash and write each file: uploads and downloads come first.
    isBackground: true,
    name: `storage provider ${number}`,
    program: fileURLToPath(programs.provider),
    environment: pickSettings(environment, Object.keys(providerSettings)),
    home,
    stopTimeoutMs,
    signal,
  })
  const { url, publicKey } = service.ready
  return { url, id: publicKey ?? '', [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

function providerName(number: number): string {
  return `provider-${number}`
}

function accessKeyFile(home: string, number: number): string {
  return join(providerFolder(home, number), 'access.key')
}

import { chmod, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { GIB, type NetworkProfile } from '@cairn/protocol'
import { readConfig, type Storage, startStorage } from '@cairn/storage'
import { checkPorts } from './check-ports.ts'
import { lockHome } from './lock-home.ts'
import { removeNetworkFile, writeNetworkFile } from './network-file.ts'
import { openTestWallet, type TestWallet } from './test-wallet.ts'

/** A whole network on this machine. Disposing ends all of it. */
export type Network = AsyncDisposable & {
  /** As in `network.json`, the test wallet included. */
  readonly profile: NetworkProfile & { wallet: TestWallet }
  readonly home: string
  readonly storage: Storage
}

export type NetworkOptions = {
  /** Folder of data and secrets; made where it is missing. */
  home: string
  /** `default`: the documented ports; `any`: free ones, for tests. */
  ports?: 'default' | 'any'
  /** `CAIRN_` settings, as the environment has them. */
  environment?: Record<string, string | undefined>
}

/** What differs at home from a deployed service: nobody has to be kept from using much. */
const localDefaults = {
  CAIRN_NETWORK_NAME: 'local',
  CAIRN_FREE_BYTES: String(100 * GIB),
  CAIRN_RATE_FACTOR: '1000',
  CAIRN_STOP_TIMEOUT_SECONDS: '3',
  CAIRN_LOG_LEVEL: 'warn',
}

/**
 * Starts the whole network in this process and writes `network.json` when all of it is ready.
 * @throws CairnError INVALID_CONFIGURATION (settings, ports, secrets), CONFLICT (another one runs on this folder);
 *   nothing stays open then
 */
export async function createNetwork({
  home: folder,
  ports = 'default',
  environment = {},
}: NetworkOptions): Promise<Network> {
  const home = resolve(folder)
  const anyPort = ports === 'any' ? { CAIRN_PORT: '0', CAIRN_GATEWAY_PORT: '0' } : {}
  const config = readConfig({ ...localDefaults, ...environment, ...anyPort, CAIRN_HOME: home })
  await mkdir(home, { recursive: true, mode: 0o700 })
  await chmod(home, 0o700)

  await using stack = new AsyncDisposableStack()
  stack.use(await lockHome(home))
  // What an earlier run left when it was killed would send clients to ports where nobody listens.
  await removeNetworkFile(home)
  if (ports === 'default') {
    await checkPorts(config.host, [
      { part: 'storage', port: config.port },
      { part: 'gateway', port: config.gatewayPort },
    ])
  }
  const wallet = await openTestWallet(home)
  const storage = stack.use(await startStorage(config))
  const profile = { ...storage.profile, wallet }
  stack.defer(() => removeNetworkFile(home))
  await writeNetworkFile(home, profile)

  const running = stack.move()
  return { profile, home, storage, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

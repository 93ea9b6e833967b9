import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWallet } from '@cairn/sdk'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { storeLightWallet } from '../light-wallet.ts'
import { type CliRun, runCli } from '../run-cli.ts'

type RunOptions = {
  input?: string | Uint8Array
  /** Folder of the configuration, below `folder`. */
  config?: string
  env?: Record<string, string>
  asProcess?: boolean
  started?: (child: ChildProcess) => void
}

/** A folder in which the command line runs, with `hello.txt`, and a network whose test wallet it uses. */
export type CliHome = AsyncDisposable & {
  readonly network: TestNetwork
  readonly folder: string
  cairn(args: string[], options?: RunOptions): Promise<CliRun>
  /** Stores a wallet for tests that are not about the wallet itself. */
  storeWallet(config: string): Promise<void>
}

/** CID of `hello.txt`. */
export const hello = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

export async function createCliHome(): Promise<CliHome> {
  const network = await createTestNetwork()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-cli-'))
  const password = 'correct horse'
  writeFileSync(join(folder, 'password'), `${password}\n`, { mode: 0o600 })
  writeFileSync(join(folder, 'hello.txt'), 'hello world')
  return {
    network,
    folder,
    cairn: (args, { input, config = 'config', env = {}, ...run } = {}) =>
      runCli(args, {
        cwd: folder,
        env: {
          CAIRN_NETWORK: join(network.home, 'network.json'),
          CAIRN_CONFIG_HOME: join(folder, config),
          CAIRN_PASSWORD_FILE: join(folder, 'password'),
          ...env,
        },
        input,
        ...run,
      }),
    storeWallet: (config) => storeLightWallet(join(folder, config), createWallet().privateKey, password),
    async [Symbol.asyncDispose]() {
      await network[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { inspectDatabase } from '@cairn/service'
import { createSealer } from '@cairn/service/backup'
import type { StorageConfig } from '../config.ts'
import { migrations } from '../db/database.ts'
import { openObjects } from '../objects/open-objects.ts'

/** A problem of the settings; `error` means that the service would not start or not work. */
export type ConfigFinding = { level: 'error' | 'warning'; setting: string; problem: string }

/**
 * Reports valid settings that do not fit a deployment, and checks that the database, the packs and the console exist.
 * Changes nothing, and does not migrate.
 */
export async function verifyConfig(config: StorageConfig): Promise<ConfigFinding[]> {
  const findings: ConfigFinding[] = []
  const warn = (setting: string, problem: string) => findings.push({ level: 'warning', setting, problem })
  const fail = (setting: string, problem: string) => findings.push({ level: 'error', setting, problem })
  const isShared = config.database.kind === 'postgres'

  if (config.publicApiUrl === undefined)
    warn('CAIRN_PUBLIC_API_URL', 'Empty, so clients get the address of the listener')
  if (config.publicGatewayUrl === undefined)
    warn('CAIRN_PUBLIC_GATEWAY_URL', 'Empty, so clients get the address of the listener')
  for (const [setting, url] of [
    ['CAIRN_PUBLIC_API_URL', config.publicApiUrl],
    ['CAIRN_PUBLIC_GATEWAY_URL', config.publicGatewayUrl],
  ] as const) {
    if (url?.startsWith('http:')) warn(setting, 'The URL is http, so API keys and files are sent unencrypted')
  }
  const { publicApiUrl: api, publicGatewayUrl: gateway } = config
  if (api !== undefined && gateway !== undefined && new URL(api).host === new URL(gateway).host) {
    fail('CAIRN_PUBLIC_GATEWAY_URL', 'Gateway and API share an origin, so pages that users store could call the API')
  }
  if (gateway !== undefined && !config.gatewayHosts.includes(new URL(gateway).hostname)) {
    warn(
      'CAIRN_GATEWAY_HOSTS',
      `${new URL(gateway).hostname} is not listed, so sites of different users share one origin`,
    )
  }
  if (api !== undefined && config.trustedProxies.length === 0) {
    warn('CAIRN_TRUSTED_PROXIES', 'Empty, so behind a proxy all users count as one address')
  }
  if (isShared && config.secret === undefined) {
    fail('CAIRN_STORAGE_SECRET', 'Empty, so each replica would create its own secret')
  }
  if (isShared && config.drainMs === 0) {
    warn('CAIRN_DRAIN_SECONDS', '0, so a load balancer sends requests to a replica that has stopped')
  }
  if (config.secondarySecret !== undefined) {
    warn('CAIRN_STORAGE_SECRET_SECONDARY', 'A second secret is accepted. Remove it when the rotation is complete')
  }
  if (config.faucetKey !== undefined) warn('CAIRN_FAUCET_KEY', 'The service gives coins to anyone')
  if (config.rateFactor === 0) warn('CAIRN_RATE_FACTOR', '0, so there are no rate limits')
  for (const { name, rpcUrls, publicRpcUrl } of config.payments.networks) {
    if (rpcUrls.length < 3)
      warn('CAIRN_PAYMENTS', `${name} has ${rpcUrls.length} endpoints. Configure three, so that one can fail`)
    if (publicRpcUrl === rpcUrls[0] && mayContainKey(publicRpcUrl))
      warn(
        'CAIRN_PAYMENTS',
        `Clients get the whole URL of the first endpoint of ${name}. Set publicRpcUrl to one without a key`,
      )
  }
  if (config.consoleFolder !== undefined && !(await isReadable(join(config.consoleFolder, 'index.html')))) {
    fail('CAIRN_CONSOLE_FOLDER', `${config.consoleFolder} contains no built console`)
  }
  checkRecipients(config, fail)
  await checkDatabase(config, fail, warn)
  await checkObjects(config, fail)
  return findings
}

/** Without this, only the first backup would report a wrong recipient, at night. */
function checkRecipients({ backup: { recipients } }: StorageConfig, fail: Note): void {
  if (recipients.length === 0) return
  try {
    createSealer(recipients)
  } catch (error) {
    fail('CAIRN_BACKUP_RECIPIENTS', messageOf(error))
  }
}

type Note = (setting: string, problem: string) => void

async function checkDatabase(config: StorageConfig, fail: Note, warn: Note): Promise<void> {
  const setting = config.database.kind === 'postgres' ? 'CAIRN_DATABASE_URL' : 'CAIRN_HOME'
  try {
    const { exists, migrations: done, expansions } = await inspectDatabase(config.database)
    const names = migrations.map(({ name }) => name)
    const newer = done.filter((name) => !names.includes(name))
    const strange = newer.find((name) => !expansions.includes(name))
    if (strange !== undefined) fail(setting, `The database has migration ${strange} of a newer version`)
    else if (newer.length > 0) warn(setting, `A newer version expanded the database: ${newer.join(', ')}`)
    const due = names.filter((name) => !done.includes(name))
    if (!exists) warn(setting, 'The database is new. The first start creates its tables')
    else if (due.length > 0) {
      warn(setting, `The next start migrates the database: ${due.join(', ')}`)
      const last = migrations.findLast(({ name, change }) => change === 'contract' && due.includes(name))
      if (last !== undefined)
        warn(setting, `Earlier versions cannot start after ${last.name}. Back up first: a downgrade needs the backup`)
    }
  } catch (error) {
    fail(setting, messageOf(error))
  }
}

async function checkObjects(config: StorageConfig, fail: Note): Promise<void> {
  if (config.s3 === undefined) {
    if (!(await isWritable(config.packFolder))) fail('CAIRN_PACK_FOLDER', `${config.packFolder} is not writable`)
    return
  }
  try {
    const objects = await openObjects(config, { isAlone: false })
    try {
      await objects.probe()
    } finally {
      await objects.close()
    }
  } catch (error) {
    fail('CAIRN_OBJECTS_URL', messageOf(error))
  }
}

/** Whether a URL has more than a host and a port: keys of endpoints are in paths, queries or user names. */
function mayContainKey(url: string): boolean {
  const { pathname, search, username, password } = new URL(url)
  return pathname !== '/' || `${search}${username}${password}` !== ''
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'No response')
const isReadable = (path: string): Promise<boolean> => isAllowed(path, constants.R_OK)

/** A missing folder counts as writable: the first start creates it. */
async function isWritable(path: string): Promise<boolean> {
  return (await isAllowed(path, constants.W_OK)) || !(await isAllowed(path, constants.F_OK))
}

async function isAllowed(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode)
    return true
  } catch {
    return false
  }
}

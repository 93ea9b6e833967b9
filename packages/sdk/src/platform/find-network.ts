import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { CairnError } from '@cairn/protocol'

/**
 * Finds the network if the caller names none: `CAIRN_NETWORK` (a file or URL), else `network.json` in `CAIRN_HOME`,
 * else the nearest `.cairn/network.json` in this folder or above. An empty variable counts as unset.
 * @throws CairnError NO_NETWORK
 */
// biome-ignore lint/style/noProcessEnv: no other place of the SDK reads the environment.
export function findNetwork(env: Record<string, string | undefined> = process.env, from = '.'): string {
  const { CAIRN_NETWORK: named = '', CAIRN_HOME: home = '' } = env
  if (named !== '') return named
  const homeProfile = join(home, 'network.json')
  if (home !== '' && existsSync(homeProfile)) return homeProfile
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const path = join(folder, '.cairn', 'network.json')
    if (existsSync(path)) return path
    if (folder === dirname(folder)) throw new CairnError('NO_NETWORK')
  }
}

/**
 * Reads a profile from a file.
 * @throws CairnError NO_NETWORK
 */
export async function readProfile(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT')
      throw new CairnError('NO_NETWORK', {
        message: `No network profile at ${path}`,
        ...(looksLikeHost(path)
          ? { hint: `If ${path} is the address of a service, start it with http:// or https://.` }
          : {}),
        cause,
      })
    throw new CairnError('NO_NETWORK', {
      message: `Cannot read the network profile ${path}${code === undefined ? '' : ` (${code})`}`,
      hint: 'Check the path and its permissions.',
      cause,
    })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new CairnError('NO_NETWORK', { message: `${path} is not a network profile`, cause })
  }
}

/** Whether a path may be an address whose scheme was left out, such as `127.0.0.1:8080` or `storage.example.com`. */
function looksLikeHost(path: string): boolean {
  return /^(?:localhost|\[[\da-f:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/|$)/i.test(path) && !path.endsWith('.json')
}

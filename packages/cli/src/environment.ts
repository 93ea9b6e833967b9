import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** What the command line takes from its environment, except where the network is: that is for `loadNetwork` to find. */
export type Environment = {
  /** Folder of wallet and keys. */
  configFolder: string
  apiKey: string | undefined
  /** A file that holds the wallet's password, for programs. */
  passwordFile: string | undefined
  noColor: boolean
}

export function readEnvironment(env: Record<string, string | undefined> = process.env): Environment {
  // A variable that is set to nothing counts as not set.
  const read = (name: string) => (env[name] === '' ? undefined : env[name])
  const base = read('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return {
    configFolder: resolve(read('CAIRN_CONFIG_HOME') ?? join(base, 'cairn')),
    apiKey: read('CAIRN_API_KEY'),
    passwordFile: read('CAIRN_PASSWORD_FILE'),
    noColor: (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb',
  }
}

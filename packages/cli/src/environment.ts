import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Environment of the command line, except for the network, which `loadNetwork` finds. */
export type Environment = {
  /** Folder of wallet and keys. */
  configFolder: string
  apiKey: string | undefined
  /** A file with the password of the wallet, for programs. */
  passwordFile: string | undefined
  noColor: boolean
}

export function readEnvironment(env: Record<string, string | undefined> = process.env): Environment {
  // An empty variable counts as unset.
  const read = (name: string) => (env[name] === '' ? undefined : env[name])
  const base = read('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return {
    configFolder: resolve(read('CAIRN_CONFIG_HOME') ?? join(base, 'cairn')),
    apiKey: read('CAIRN_API_KEY'),
    passwordFile: read('CAIRN_PASSWORD_FILE'),
    noColor: (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb',
  }
}

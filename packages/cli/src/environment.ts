import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** What the command line takes from its surroundings. This file is the only one that looks there. */
export type Environment = {
  /** Folder of wallet and keys. */
  configFolder: string
  /** Profile of the network: a file or a URL. */
  network: string | undefined
  /** Home of a local network, where `network.json` lies. */
  home: string | undefined
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
    network: read('CAIRN_NETWORK'),
    home: read('CAIRN_HOME'),
    apiKey: read('CAIRN_API_KEY'),
    passwordFile: read('CAIRN_PASSWORD_FILE'),
    noColor: (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb',
  }
}

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
  const base = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
  return {
    configFolder: resolve(env['CAIRN_CONFIG_HOME'] ?? join(base, 'cairn')),
    network: env['CAIRN_NETWORK'],
    home: env['CAIRN_HOME'],
    apiKey: env['CAIRN_API_KEY'],
    passwordFile: env['CAIRN_PASSWORD_FILE'],
    noColor: (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb',
  }
}

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
  /** Keys and addresses of services that content is imported from, by the names that their own tools use. */
  imports: {
    lighthouseKey: string | undefined
    pinataJwt: string | undefined
    pinningToken: string | undefined
    s3Endpoint: string | undefined
  }
}

export function readEnvironment(env: Record<string, string | undefined> = process.env): Environment {
  // An empty variable counts as unset.
  const read = (name: string) => (env[name] === '' ? undefined : env[name])
  const base = read('XDG_CONFIG_HOME') ?? join(homedir(), '.config')
  return {
    configFolder: resolve(read('CAIRN_CONFIG_HOME') ?? join(base, 'cairn')),
    apiKey: read('CAIRN_API_KEY'),
    passwordFile: read('CAIRN_PASSWORD_FILE'),
    imports: {
      lighthouseKey: read('LIGHTHOUSE_API_KEY'),
      pinataJwt: read('PINATA_JWT'),
      pinningToken: read('PINNING_SERVICE_TOKEN'),
      s3Endpoint: read('AWS_ENDPOINT_URL_S3') ?? read('AWS_ENDPOINT_URL'),
    },
    noColor: (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb',
  }
}

import { isIP } from 'node:net'
import { optional, type SettingValues, text } from '@cairn/service'

function projectId(value: string): string {
  if (!/^[0-9a-f]{32}$/.test(value)) throw new Error('must be 32 hex characters')
  return value
}

function passkeyDomain(value: string): string {
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(value) || isIP(value) !== 0) {
    throw new Error('must be a host name in lower case, not an IP address')
  }
  return value
}

function relayUrl(value: string): string {
  // Pages on https:// cannot use plain ws://, except for a relay on this machine.
  if (!/^wss?:$/.test(URL.parse(value)?.protocol ?? '')) throw new Error('must be a wss:// URL')
  return value
}

/** Settings: the web console. */
export const consoleSettings = {
  CAIRN_CONSOLE_FOLDER: {
    about: 'Folder of the built web console (apps/console/dist). When empty, no console is served.',
    fallback: '',
    read: optional(text),
  },
  CAIRN_PASSKEY_DOMAIN: {
    about:
      'Domain of passkeys: the host of the web console or a parent of it. Users can sign in to the console with passkeys instead of wallets. Changing the domain later changes the accounts. When empty, the console offers no passkeys.',
    fallback: '',
    read: optional(passkeyDomain),
  },
  CAIRN_WALLETCONNECT_PROJECT_ID: {
    about:
      'WalletConnect project ID (32 hex characters), which lets the web console use wallets on other devices. When empty, the console does not contact WalletConnect.',
    fallback: '',
    read: optional(projectId),
  },
  CAIRN_WALLETCONNECT_RELAY_URL: {
    about: 'WalletConnect relay of the web console. Used only with a project ID.',
    fallback: 'wss://relay.walletconnect.org',
    read: relayUrl,
  },
}

/** The web console. */
export type ConsoleConfig = {
  /** Folder of the built web console. Required when the console is served. */
  readonly consoleFolder: string | undefined
  /** Domain of passkeys; undefined if the console offers none. */
  readonly passkeyDomain: string | undefined
  /** The operator's WalletConnect project id. Required when the console offers wallets on other devices. */
  readonly walletConnectProjectId: string | undefined
  /** WalletConnect relay for the console. */
  readonly walletConnectRelayUrl: string
}

export function readConsoleConfig(values: SettingValues<typeof consoleSettings>): ConsoleConfig {
  return {
    consoleFolder: values.CAIRN_CONSOLE_FOLDER,
    passkeyDomain: values.CAIRN_PASSKEY_DOMAIN,
    walletConnectProjectId: values.CAIRN_WALLETCONNECT_PROJECT_ID,
    walletConnectRelayUrl: values.CAIRN_WALLETCONNECT_RELAY_URL,
  }
}

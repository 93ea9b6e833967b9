import { findPackageJSON } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const client = '@walletconnect/sign-client'

/**
 * Marker file of a build without the WalletConnect client. The service then does not offer wallets on other devices.
 */
const withoutClientFile = 'without-wallet-connect.txt'

/**
 * Includes the WalletConnect client in a build if it is installed (`npm run add -- wallet-connect`): it is 100 MiB for
 * networks whose operator has a project there.
 * @param base where the package is resolved from
 */
export function walletConnectPart(base = import.meta.url): Plugin {
  const isInstalled = hasPackage(base)
  return {
    name: 'cairn:wallet-connect-part',
    enforce: 'pre',
    resolveId(id) {
      if (id === client && !isInstalled) return fileURLToPath(new URL('src/wallet/no-sign-client.ts', import.meta.url))
      return null
    },
    generateBundle() {
      if (isInstalled) return
      this.emitFile({ type: 'asset', fileName: withoutClientFile, source: `Built without ${client}.\n` })
    },
  }
}

function hasPackage(base: string): boolean {
  try {
    return findPackageJSON(client, base) !== undefined
  } catch {
    // Not installed.
    return false
  }
}

import { isIP } from 'node:net'
import type { NetworkProfile } from '@cairn/protocol'

/**
 * WalletConnect Verify, which runs in a frame and shows a wallet on another device which site the request comes from.
 */
const verifyOrigin = 'https://verify.walletconnect.org'

/**
 * Content security policy of the console's pages: run our own scripts, and connect to the hosts in the network's
 * profile. Images and videos come from the gateway, which is another origin; uploaded content never runs here.
 * @see https://www.w3.org/TR/CSP3/
 */
export function consolePolicy(profile: NetworkProfile): string {
  const gateway = gatewaySources(profile.gateway)
  const chains = profile.chains ?? (profile.chain === undefined ? [] : [profile.chain])
  const called = [
    profile.api,
    profile.upload,
    profile.keyRouter,
    ...(profile.keyNodes ?? []),
    ...(profile.providers ?? []).map(({ url }) => url),
    ...chains.map(({ rpcUrl }) => rpcUrl),
    ...(profile.walletConnect === undefined ? [] : [profile.walletConnect.relayUrl, verifyOrigin]),
  ].flatMap((url) => (url === undefined ? [] : [new URL(url).origin]))
  const connect = [...new Set([...called, ...gateway])]
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    `img-src 'self' data: blob: ${gateway.join(' ')}`,
    // `self` for encrypted media, whose ranges a service worker of the page answers.
    `media-src 'self' blob: ${gateway.join(' ')}`,
    `connect-src 'self' ${connect.join(' ')}`,
    "worker-src 'self'",
    ...(profile.walletConnect === undefined ? [] : [`frame-src ${verifyOrigin}`]),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Returns the gateway's origin, and the origins of single CIDs below it when its host has a name. */
function gatewaySources(url: string): string[] {
  const { origin, protocol, hostname, host } = new URL(url)
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? [origin, `${protocol}//*.${host}`] : [origin]
}

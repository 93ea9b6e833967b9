import { formatDuration } from '../format.ts'
import { translatable } from '../translatable.ts'
import { plural } from './plural.ts'

/** Wallet and session, on every page. */
export const session = translatable('session', {
  connect: 'Connect wallet',
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  lacking: (nodes: readonly number[]) =>
    `Your session does not include key ${plural(nodes.length, { one: 'node', other: 'nodes' })} ${new Intl.ListFormat('en').format(nodes.map(String))}.`,
  /** @param aheadMs negative if the clock is behind */
  clockDiffers: (aheadMs: number) =>
    `The clock of this device is ${formatDuration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'behind' : 'ahead of'} that of the service`,
  clockHint: 'Signatures are valid only at the current time. Set the clock of this device, then try again.',
  connectFailed: 'The key nodes were not connected',
  signOut: 'Sign out',
  signedOutHere: 'Signed out in this browser',
  keyStaysValid: (until: string) =>
    `The service could not be reached, so the API key of this session is valid until ${until}. Revoke it under API keys.`,
  uploadsStay: 'Unfinished uploads were not cancelled. The service removes them later.',
  walletNotTold: 'The wallet may still show this site as connected',
  accountOf: (address: string) => `Account ${address}`,
  rejectedTitle: 'Rejected in the wallet',
  copyAddress: 'Copy address',
  walletMissing: 'Reconnect the wallet of this account, then sign.',
  otherAccount: (address: string) =>
    `Your wallet switched to ${address}. The data of the previous account is cleared. Sign in to continue.`,
  sessionEnded: 'The wallet was disconnected, so you are signed out.',
  sessionOver: 'Your session has expired. Sign in again to continue.',
  sessionRevoked: 'The API key of your session was revoked. Sign in again to continue.',
  endsSoon: 'Your session expires in a few minutes.',
  extend: 'Extend',
  gateTitle: 'Sign in to see this',
  gateHintKnown: 'Your wallet is connected. Sign once to continue.',
  gateHint: 'Connect your wallet to continue. You return to this page.',
})

/** Wallet and session, as every page needs them. */
export const session = {
  connect: 'Connect wallet',
  signIn: 'Sign in',
  signOut: 'Sign out',
  accountOf: (address: string) => `Account ${address}`,
  rejectedTitle: 'Declined in the wallet',
  copyAddress: 'Copy address',
  walletMissing: 'Connect the wallet of this account again, then sign.',
  otherAccount: (address: string) =>
    `The wallet changed to ${address}. What the other account showed is cleared. Sign in to go on.`,
  sessionEnded: 'The wallet was disconnected, so you are signed out.',
  sessionOver: 'Your session is over. Sign in again to go on.',
  endsSoon: 'Your session ends in a few minutes.',
  extend: 'Extend',
  gateTitle: 'Sign in to see this',
  gateHint: 'Connect your wallet, and you come right back here.',
}

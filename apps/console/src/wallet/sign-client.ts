// A separate chunk with a descriptive name: the WalletConnect client is a large part of the console's size.
export { SignClient } from '@walletconnect/sign-client'

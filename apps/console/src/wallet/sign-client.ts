// A chunk of its own, with a name that tells what it is: the client of WalletConnect is a good part of the console's size.
export { SignClient } from '@walletconnect/sign-client'

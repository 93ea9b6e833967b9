export { decryptKeystore, encryptKeystore, type KeystoreOptions } from './keystore.ts'
export { createWallet, signMessage, type Wallet, walletFromPrivateKey } from './wallet.ts'

/**
 * Replaces the WalletConnect client in a build without it. No service offers wallets on other devices with such a
 * build.
 */
export const SignClient = {
  async init(): Promise<never> {
    throw new Error('This console was built without WalletConnect')
  },
}

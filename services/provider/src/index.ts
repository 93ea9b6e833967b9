export { type ProviderConfig, providerSettings, readProviderConfig } from './config.ts'
export { providerSecretBytes } from './identity.ts'
export { type Provider, type ProviderOptions, startProvider } from './start.ts'

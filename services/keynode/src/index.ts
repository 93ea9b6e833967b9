export { type KeyNodeConfig, keyNodeSettings, type Peer, readKeyNodeConfig } from './config.ts'
export { deriveNodeKeys, nodeSecretBytes } from './identity.ts'
export { publicKeyOf } from './sessions/tokens.ts'
export { type KeyNode, startKeyNode } from './start.ts'

export { buildConsole } from './build-console.ts'
export { nameProgramsIn, programSource } from './bundle/name-programs.ts'
export { createNetwork, type Network, type NetworkOptions } from './network.ts'
export type { TestWallet } from './test-wallet.ts'

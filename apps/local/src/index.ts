export { buildConsole } from './build-console.ts'
export { nameProgramsIn, programSource } from './bundle/name-programs.ts'
export type { TestWallet } from './home/test-wallet.ts'
export { createNetwork, type Network, type NetworkOptions } from './network.ts'

import { type ChainFamilyName, chainFamilies, documentedChains } from '@cairn/protocol'

/**
 * Chain ids of EVM chains by the names in the published clients' documentation; undefined when the name is ambiguous.
 */
const evm: Record<string, number | undefined> = {
  Ethereum: 1,
  Filecoin: 314,
  FVM: 314,
  Polygon: 137,
  Base: 8453,
  Fantom: 250,
  Optimism: 10,
  BSC: 56,
  AVAX: 43114,
  Fuji: 43113,
  Forma: 984122,
  Destra: undefined,
  World_Chain: 480,
  BTTC: 199,
  Shardeum: undefined,
  Mumbai: 80001,
  Filecoin_Testnet: 314159,
  Calibration: 314159,
  Wallaby: 31415,
  Hyperspace: 3141,
  Base_Testnet: 84532,
  BASE_Goerli: 84531,
  Shardeum_Lib1: undefined,
  Shardeum_Lib2: undefined,
  Goerli: 5,
  Rinkeby: 4,
  Sepolia: 11155111,
  Sepolia_PGN: 58008,
  Arbitrum_Sepolia: 421614,
  BSCTest: 97,
  FantomTest: 4002,
  OptimismGoerli: 420,
  OptimismKovan: 69,
  Forma_Sketchpad: undefined,
  Destra_Testnet: undefined,
  Zircuit_Testnet: undefined,
  Scroll_Testnet: 534351,
  Abstract_Testnet: 11124,
  BTTC_Testnet: undefined,
}

type Known = readonly [string, { family: ChainFamilyName; chainId?: string }]

function list(family: ChainFamilyName, ids: Record<string, string | number | undefined>): Known[] {
  return Object.entries(ids).map(([name, id]) => [
    name.toLowerCase(),
    id === undefined ? { family } : { family, chainId: String(id) },
  ])
}

/** The documented names in lower case, with family and chain id; the operator configures endpoints. */
export const knownChains: ReadonlyMap<string, Known[1]> = new Map([
  ...list('evm', evm),
  ...chainFamilies.flatMap((family) => list(family, documentedChains[family].ids)),
])

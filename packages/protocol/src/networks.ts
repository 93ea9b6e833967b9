/** Stablecoins that pay for storage. */
export const stablecoins = ['usdc', 'usdt', 'dai'] as const
export type Stablecoin = (typeof stablecoins)[number]

/** A token's contract on one network. `address` is absent where the coin has no contract there that we know to be right. */
export type NetworkToken = { decimals: number; address?: `0x${string}` }

/** What is the same for everyone about a chain. Where its payment contract is, a deployed network's profile says. */
export type Network = {
  name: string
  chainId: number
  /** The native coin's symbol, as `get_ticker` takes it. */
  symbol: string
  nativeDecimals: number
  /** Public endpoint, a default only: operators and wallets bring their own. */
  rpcUrl: string
  /** A transaction's page is this plus its hash. */
  transactionUrl: string
  testnet: boolean
  /** Chains that were shut down stay known by name, so that old settings get a clear answer. */
  retired?: boolean
  tokens: Record<Stablecoin, NetworkToken>
}

const six = { usdc: { decimals: 6 }, usdt: { decimals: 6 }, dai: { decimals: 18 } } as const

/**
 * The networks of the specification, with decimals for the native coin and every token on every one.
 * Addresses are those of the contracts in use by the field's published clients; BNB Chain's bridged coins have 18 decimals each.
 */
export const networks = {
  polygon: {
    name: 'polygon',
    chainId: 137,
    symbol: 'MATIC',
    nativeDecimals: 18,
    rpcUrl: 'https://polygon-rpc.com',
    transactionUrl: 'https://polygonscan.com/tx/',
    testnet: false,
    tokens: {
      usdc: { decimals: 6, address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174' },
      usdt: { decimals: 6, address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F' },
      dai: { decimals: 18, address: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063' },
    },
  },
  fantom: {
    name: 'fantom',
    chainId: 250,
    symbol: 'FTM',
    nativeDecimals: 18,
    rpcUrl: 'https://rpc.ftm.tools/',
    transactionUrl: 'https://ftmscan.com/tx/',
    testnet: false,
    tokens: {
      usdc: { decimals: 6, address: '0x04068DA6C83AFCFA0e13ba15A6696662335D5B75' },
      usdt: { decimals: 6, address: '0x049d68029688eAbF473097a2fC38ef61633A3C7A' },
      dai: { decimals: 18, address: '0x8D11eC38a3EB5E956B052f67Da8Bdc9bef8Abf3E' },
    },
  },
  binance: {
    name: 'binance',
    chainId: 56,
    symbol: 'BNB',
    nativeDecimals: 18,
    rpcUrl: 'https://bsc-dataseed.binance.org/',
    transactionUrl: 'https://bscscan.com/tx/',
    testnet: false,
    tokens: {
      usdc: { decimals: 18, address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' },
      usdt: { decimals: 18, address: '0x55d398326f99059fF775485246999027B3197955' },
      dai: { decimals: 18, address: '0x1AF3F329e8BE154074D8769D1FFa4EE056B1DBc3' },
    },
  },
  optimism: {
    name: 'optimism',
    chainId: 10,
    symbol: 'ETH',
    nativeDecimals: 18,
    rpcUrl: 'https://mainnet.optimism.io',
    transactionUrl: 'https://optimistic.etherscan.io/tx/',
    testnet: false,
    tokens: {
      usdc: { decimals: 6, address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607' },
      usdt: { decimals: 6, address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58' },
      dai: { decimals: 18, address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1' },
    },
  },
  filecoin: {
    name: 'filecoin',
    chainId: 314,
    symbol: 'FIL',
    nativeDecimals: 18,
    rpcUrl: 'https://api.node.glif.io/rpc/v1',
    transactionUrl: 'https://filfox.info/en/message/',
    testnet: false,
    tokens: { ...six, usdc: { decimals: 6, address: '0xEB466342C4d449BC9f53A865D5Cb90586f405215' } },
  },
  calibration: {
    name: 'calibration',
    chainId: 314159,
    symbol: 'FIL',
    nativeDecimals: 18,
    rpcUrl: 'https://api.calibration.node.glif.io/rpc/v1',
    transactionUrl: 'https://calibration.filfox.info/en/message/',
    testnet: true,
    tokens: { ...six, usdt: { decimals: 18, address: '0xA471B7936906fF810865e52AF86C12B9865C850A' } },
  },
  'fantom-testnet': {
    name: 'fantom-testnet',
    chainId: 4002,
    symbol: 'FTM',
    nativeDecimals: 18,
    rpcUrl: 'https://rpc.testnet.fantom.network/',
    transactionUrl: 'https://testnet.ftmscan.com/tx/',
    testnet: true,
    tokens: six,
  },
  'polygon-testnet': {
    name: 'polygon-testnet',
    chainId: 80001,
    symbol: 'MATIC',
    nativeDecimals: 18,
    rpcUrl: 'https://rpc-mumbai.maticvigil.com/',
    transactionUrl: 'https://mumbai.polygonscan.com/tx/',
    testnet: true,
    retired: true,
    tokens: { ...six, usdc: { decimals: 6, address: '0x742DfA5Aa70a8212857966D491D67B09Ce7D6ec7' } },
  },
  'binance-testnet': {
    name: 'binance-testnet',
    chainId: 97,
    symbol: 'BNB',
    nativeDecimals: 18,
    rpcUrl: 'https://data-seed-prebsc-1-s1.binance.org:8545/',
    transactionUrl: 'https://testnet.bscscan.com/tx/',
    testnet: true,
    tokens: { usdc: { decimals: 18 }, usdt: { decimals: 18 }, dai: { decimals: 18 } },
  },
  'optimism-testnet': {
    name: 'optimism-testnet',
    chainId: 69,
    symbol: 'ETH',
    nativeDecimals: 18,
    rpcUrl: 'https://kovan.optimism.io/',
    transactionUrl: 'https://kovan-optimistic.etherscan.io/tx/',
    testnet: true,
    retired: true,
    tokens: six,
  },
  'wallaby-testnet': {
    name: 'wallaby-testnet',
    chainId: 31415,
    symbol: 'tFIL',
    nativeDecimals: 18,
    rpcUrl: 'https://wallaby.node.glif.io/rpc/v0',
    transactionUrl: 'https://explorer.glif.io/',
    testnet: true,
    retired: true,
    tokens: six,
  },
} as const satisfies Record<string, Network>

/** A network's name. */
export type NetworkName = keyof typeof networks

/** The network used where none is named. */
export const defaultNetwork: NetworkName = 'polygon'

/** Whether a text names one of the {@link networks}. */
export function isNetworkName(text: unknown): text is NetworkName {
  return typeof text === 'string' && Object.hasOwn(networks, text)
}

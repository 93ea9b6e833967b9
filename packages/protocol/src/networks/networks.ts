/** Stablecoins for payments. */
export const stablecoins = ['usdc', 'usdt', 'dai'] as const
export type Stablecoin = (typeof stablecoins)[number]

/** The contract of a token on one network. */
export type TokenContract = {
  address: `0x${string}`
  /**
   * The symbol of the token itself, which distinguishes contracts of one coin, such as `USDC` and the bridged `USDC.e`.
   */
  symbol: string
  /** Whether it is the contract that published clients know, if that is not the first. */
  isPublished?: boolean
}

/** A stablecoin on one network, with its verified contracts, the preferred first. */
export type NetworkCoin = { decimals: number; contracts: readonly TokenContract[] }

/**
 * Properties of a chain that are the same for every deployment. The profile of a deployed network names its payment
 * contract.
 */
export type Network = {
  name: string
  chainId: number
  /** Symbol of the native coin, as in `get_ticker`. */
  symbol: string
  nativeDecimals: number
  /** Default public endpoint: operators and wallets configure their own. */
  rpcUrl: string
  /** URL prefix of a transaction page, followed by the hash. */
  transactionUrl: string
  testnet: boolean
  /** Chains that were shut down stay known by name: clients understand them, no service accepts payments on them. */
  retired?: boolean
  tokens: Record<Stablecoin, NetworkCoin>
}

/** Decimals of coins without a known contract. */
const none = {
  usdc: { decimals: 6, contracts: [] },
  usdt: { decimals: 6, contracts: [] },
  dai: { decimals: 18, contracts: [] },
} as const

/**
 * The networks of the specification and those in use today, with decimals for the native coin and every token.
 * Addresses are those of the issuers and of the published clients. The bridged coins of BNB Chain have 18 decimals
 * each. The three Fantom tokens of those clients are omitted: their bridge, Multichain, was drained in July 2023, and
 * they are worth a fraction of a dollar.
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
      usdc: {
        decimals: 6,
        contracts: [
          { address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', symbol: 'USDC' },
          { address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174', symbol: 'USDC.e', isPublished: true },
        ],
      },
      usdt: { decimals: 6, contracts: [{ address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', symbol: 'USDT' }] },
      dai: { decimals: 18, contracts: [{ address: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', symbol: 'DAI' }] },
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
    tokens: none,
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
      usdc: { decimals: 18, contracts: [{ address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d', symbol: 'USDC' }] },
      usdt: { decimals: 18, contracts: [{ address: '0x55d398326f99059fF775485246999027B3197955', symbol: 'USDT' }] },
      dai: { decimals: 18, contracts: [{ address: '0x1AF3F329e8BE154074D8769D1FFa4EE056B1DBc3', symbol: 'DAI' }] },
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
      usdc: {
        decimals: 6,
        contracts: [
          { address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', symbol: 'USDC' },
          { address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607', symbol: 'USDC.e', isPublished: true },
        ],
      },
      usdt: { decimals: 6, contracts: [{ address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58', symbol: 'USDT' }] },
      dai: { decimals: 18, contracts: [{ address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', symbol: 'DAI' }] },
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
    tokens: {
      ...none,
      usdc: { decimals: 6, contracts: [{ address: '0xEB466342C4d449BC9f53A865D5Cb90586f405215', symbol: 'axlUSDC' }] },
    },
  },
  calibration: {
    name: 'calibration',
    chainId: 314159,
    symbol: 'FIL',
    nativeDecimals: 18,
    rpcUrl: 'https://api.calibration.node.glif.io/rpc/v1',
    transactionUrl: 'https://calibration.filfox.info/en/message/',
    testnet: true,
    tokens: {
      ...none,
      usdt: { decimals: 18, contracts: [{ address: '0xA471B7936906fF810865e52AF86C12B9865C850A', symbol: 'USDT' }] },
    },
  },
  base: {
    name: 'base',
    chainId: 8453,
    symbol: 'ETH',
    nativeDecimals: 18,
    rpcUrl: 'https://mainnet.base.org',
    transactionUrl: 'https://basescan.org/tx/',
    testnet: false,
    tokens: {
      usdc: {
        decimals: 6,
        contracts: [
          { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC' },
          { address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA', symbol: 'USDbC' },
        ],
      },
      usdt: { decimals: 6, contracts: [{ address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2', symbol: 'USDT' }] },
      dai: { decimals: 18, contracts: [{ address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb', symbol: 'DAI' }] },
    },
  },
  arbitrum: {
    name: 'arbitrum',
    chainId: 42161,
    symbol: 'ETH',
    nativeDecimals: 18,
    rpcUrl: 'https://arb1.arbitrum.io/rpc',
    transactionUrl: 'https://arbiscan.io/tx/',
    testnet: false,
    tokens: {
      usdc: {
        decimals: 6,
        contracts: [
          { address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', symbol: 'USDC' },
          { address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8', symbol: 'USDC.e' },
        ],
      },
      usdt: { decimals: 6, contracts: [{ address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', symbol: 'USDT' }] },
      dai: { decimals: 18, contracts: [{ address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1', symbol: 'DAI' }] },
    },
  },
  'fantom-testnet': {
    name: 'fantom-testnet',
    chainId: 4002,
    symbol: 'FTM',
    nativeDecimals: 18,
    rpcUrl: 'https://rpc.testnet.fantom.network/',
    transactionUrl: 'https://testnet.ftmscan.com/tx/',
    testnet: true,
    tokens: none,
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
    tokens: {
      ...none,
      usdc: { decimals: 6, contracts: [{ address: '0x742DfA5Aa70a8212857966D491D67B09Ce7D6ec7', symbol: 'USDC' }] },
    },
  },
  'binance-testnet': {
    name: 'binance-testnet',
    chainId: 97,
    symbol: 'BNB',
    nativeDecimals: 18,
    rpcUrl: 'https://data-seed-prebsc-1-s1.binance.org:8545/',
    transactionUrl: 'https://testnet.bscscan.com/tx/',
    testnet: true,
    tokens: {
      usdc: { decimals: 18, contracts: [] },
      usdt: { decimals: 18, contracts: [] },
      dai: { decimals: 18, contracts: [] },
    },
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
    tokens: none,
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
    tokens: none,
  },
  sepolia: {
    name: 'sepolia',
    chainId: 11155111,
    symbol: 'ETH',
    nativeDecimals: 18,
    rpcUrl: 'https://ethereum-sepolia-rpc.publicnode.com',
    transactionUrl: 'https://sepolia.etherscan.io/tx/',
    testnet: true,
    tokens: {
      ...none,
      usdc: { decimals: 6, contracts: [{ address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', symbol: 'USDC' }] },
    },
  },
  'base-sepolia': {
    name: 'base-sepolia',
    chainId: 84532,
    symbol: 'ETH',
    nativeDecimals: 18,
    rpcUrl: 'https://sepolia.base.org',
    transactionUrl: 'https://sepolia.basescan.org/tx/',
    testnet: true,
    tokens: {
      ...none,
      usdc: { decimals: 6, contracts: [{ address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', symbol: 'USDC' }] },
    },
  },
  amoy: {
    name: 'amoy',
    chainId: 80002,
    symbol: 'POL',
    nativeDecimals: 18,
    rpcUrl: 'https://rpc-amoy.polygon.technology/',
    transactionUrl: 'https://amoy.polygonscan.com/tx/',
    testnet: true,
    tokens: {
      ...none,
      usdc: { decimals: 6, contracts: [{ address: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', symbol: 'USDC' }] },
    },
  },
} as const satisfies Record<string, Network>

/** Name of a network. */
export type NetworkName = keyof typeof networks

/** The default network. */
export const defaultNetwork: NetworkName = 'polygon'

/** Returns whether a text names one of the {@link networks}. */
export function isNetworkName(text: unknown): text is NetworkName {
  return typeof text === 'string' && Object.hasOwn(networks, text)
}

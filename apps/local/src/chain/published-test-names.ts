/**
 * Test chains that programs and suites for the published key client use in their conditions. A local network maps them
 * to its own chain. Chains of real value are excluded: a local network does not know their state.
 */
export const publishedTestChains: readonly string[] = ['FantomTest', 'Sepolia']

/** The Solana test cluster that those programs use. A local network maps it to its own Solana chain. */
export const publishedTestClusters: readonly string[] = ['DEVNET']

/** The ERC-20 token of those conditions. A local network has a token without holders there. */
export const publishedTestToken = '0xF0Bc72fA04aea04d04b1fA80B359Adb566E1c8B1'

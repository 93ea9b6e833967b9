/** Supported apps and extensions: where to get them, and how a phone opens a page in their browser. */
export const walletApps = [
  {
    name: 'MetaMask',
    home: 'https://metamask.io/download',
    open: (page: URL) => `https://metamask.app.link/dapp/${page.host}${page.pathname}${page.search}`,
  },
  {
    name: 'Phantom',
    home: 'https://phantom.com/download',
    open: (page: URL) =>
      `https://phantom.app/ul/browse/${encodeURIComponent(page.href)}?ref=${encodeURIComponent(page.origin)}`,
  },
  {
    name: 'Solflare',
    home: 'https://solflare.com/download',
    open: (page: URL) =>
      `https://solflare.com/ul/v1/browse/${encodeURIComponent(page.href)}?ref=${encodeURIComponent(page.origin)}`,
  },
  {
    name: 'Coinbase Wallet',
    home: 'https://www.coinbase.com/wallet/downloads',
    open: (page: URL) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(page.href)}`,
  },
] as const

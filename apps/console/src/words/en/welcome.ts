/** The page for those who come first. */
export const welcome = {
  title: 'Files that find their way, and stay yours',
  lead: 'Cairn stores files by their content: a file’s address is computed from its bytes, so nobody can swap it for another. Encrypted files open only for those you name.',
  connect: 'Connect wallet',
  toFiles: 'Go to your files',
  points: [
    {
      title: 'Checked, not trusted',
      text: 'Your browser computes each address itself and verifies every block that it opens.',
    },
    {
      title: 'Encrypted on your machine',
      text: 'The key is split over five independent nodes. Any three give it back, to people who may have it.',
    },
    {
      title: 'Pay for what you store',
      text: 'One price a byte, paid once from your wallet, in coins or stablecoins.',
    },
  ],
  priceTitle: 'What it costs',
  priceSlider: 'Storage',
  priceFor: (size: string) => `for ${size}, once`,
  priceNote: 'Counted by the byte, at least 1 MiB a payment.',
  freeNote: 'Every account starts with free storage.',
  openTitle: 'Open a public file',
  openHint: 'Have a CID? No wallet is needed.',
  openLabel: 'CID',
  open: 'Open',
  openInvalid: 'This is not a CID. One looks like bafy… or Qm….',
}

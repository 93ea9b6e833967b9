import { translatable } from '../translatable.ts'

/** The page for new visitors. */
export const welcome = translatable('welcome', {
  title: 'Store files anyone can verify and only you control',
  lead: 'Cairn stores files by their content: the address of a file is computed from its bytes, so it cannot be swapped for another. Only people you choose can open encrypted files.',
  points: [
    {
      title: 'Verified, not trusted',
      text: 'Your browser computes each address itself and verifies every block it opens.',
    },
    {
      title: 'Encrypted on your device',
      text: 'Each file key is split across five independent nodes. Any three restore it for people with access.',
    },
    {
      title: 'Pay for what you store',
      text: 'One price per byte. Pay once from your wallet, in the chain’s coin or in stablecoins.',
    },
  ],
  priceTitle: 'Pricing',
  priceSlider: 'Storage',
  priceFor: (size: string) => `for ${size}, once`,
  priceNote: 'Billed per byte; minimum payment 1\u00a0MiB.',
  freeNote: 'Every account starts with free storage.',
  openTitle: 'Open a public file',
  openHint: 'Have a CID? You need no wallet.',
  openLabel: 'CID',
  open: 'Open',
  openInvalid: 'This is not a valid CID. CIDs look like bafy… or Qm….',
})

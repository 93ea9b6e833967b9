import { formatCount } from '../format.ts'
import { translatable } from '../translatable.ts'

/** The receipt of a payment. */
export const receipt = translatable('receipt', {
  title: 'Receipt',
  hint: 'Storage bought on a blockchain. Anyone can verify the transaction.',
  print: 'Print',
  back: 'Back to Billing',
  missing: 'No receipt',
  missingHint: 'This account has no credited payment with this number.',
  number: 'Number',
  date: 'Date',
  service: 'Service',
  account: 'Account',
  payer: 'Paid by',
  storage: 'Storage',
  storageOf: (size: string) => `${size}, paid once`,
  amount: 'Amount',
  value: 'Value in US dollars',
  chain: 'Chain',
  block: (chain: string, block: number) => `${chain}, block ${formatCount(block)}`,
  transaction: 'Transaction',
  proof: 'Explorer',
})

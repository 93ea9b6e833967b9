import { paymentsBytecode } from '@cairn/contracts/deploy'
import { type Hex, keccak256 } from 'viem'

/** Keccak-256 of the code of contracts that earlier versions deployed. Their calls are the same. */
const earlierCodes: readonly Hex[] = [
  // Its owner could give it up.
  '0x2bae780eb8780f151a6cd43f3f435eeb5b26f4d481f930fcb45f38a5f84086b1',
]

/** Returns whether the code at an address is that of the payment contract, of this version or an earlier one. */
export function isPaymentsCode(code: Hex): boolean {
  if (code === '0x') return false
  // The deployed code is the end of the deployment code, because the contract has no immutable values.
  return paymentsBytecode.endsWith(code.slice(2)) || earlierCodes.includes(keccak256(code))
}

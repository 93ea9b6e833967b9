import { createReasons, type WordReason } from './reason.ts'

/** Why a payment is not credited. */
export const paymentReasons = {
  TOKEN_NOT_ACCEPTED: 'This token is not accepted as payment',
  PRICE_MISSING: 'No current price of {symbol} is available yet for the time of the payment',
  TOKEN_BELOW_FLOOR: '{symbol} was worth less than {price} dollars. The payment is credited when the price recovers',
  TOKEN_PRICE_MISSING: 'No current price of {priced} is available, and {symbol} must be worth {price} dollars',
  AMOUNT_TOO_SMALL: 'The amount is too small to buy a byte',
  AMOUNT_TOO_LARGE: 'The amount is implausibly large. Contact the operator',
  CHAIN_NOT_READ: 'The chain could not be read',
  BLOCK_DROPPED: 'The chain dropped the block of the payment',
} as const

/** Words a sentence of {@link paymentReasons}. */
export const paymentReason: WordReason<typeof paymentReasons> = /* @__PURE__ */ createReasons(paymentReasons)

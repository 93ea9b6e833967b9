import { createClient, custom } from 'viem'
import { sendRawTransaction } from 'viem/actions'
import { expect, test } from 'vitest'
import { describePayError } from './pay-errors.ts'

/** Returns the error of a payment whose wallet or node refuses it with a code and a text. */
async function describeRefusal(code: number, message: string) {
  const request = async () => {
    throw Object.assign(new Error(message), { code })
  }
  const client = createClient({ transport: custom({ request }, { retryCount: 0 }) })
  return describePayError(await sendRawTransaction(client, { serializedTransaction: '0x' }).catch((error) => error))
}

test.each([
  ['geth', 'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000'],
  ['geth without gas', 'gas required exceeds allowance (0)'],
  ['Nethermind', 'InsufficientFunds, Account balance: 0, cumulative cost: 21000'],
  ['Besu', 'Upfront cost exceeds account balance'],
  ['Parity', 'Insufficient funds. The account you tried to send transaction from does not have enough funds.'],
  ['Lotus', 'mpool push: not enough funds to execute transaction'],
])('a wallet without funds is reported as such, as %s words it', async (_node, message) => {
  expect(await describeRefusal(-32000, message)).toMatchObject({ code: 'INSUFFICIENT_FUNDS' })
})

test.each([
  ['geth', 'nonce too low: next nonce 5, tx nonce 4'],
  ['geth', 'already known'],
  ['geth', 'replacement transaction underpriced'],
  ['Nethermind', 'OldNonce, Current nonce: 5, nonce of rejected tx: 4'],
  ['Nethermind', 'AlreadyKnown'],
  ['Nethermind', 'ReplacementNotAllowed'],
  ['Besu', 'Nonce too low'],
  ['Besu', 'Known transaction'],
  ['Parity', 'Transaction gas price is too low. There is another transaction with same nonce in the queue.'],
  ['Lotus', 'minimum expected nonce was 5, got 4: message nonce too low'],
  ['Lotus', 'message with nonce already exists'],
  ['Lotus', 'message from f1a with nonce 4 already in mpool: replace by fee has too low GasPremium'],
])('a transaction that another one precedes is reported as such, as %s words it: %s', async (_node, message) => {
  expect(await describeRefusal(-32000, message)).toMatchObject({
    code: 'PAYMENT_FAILED',
    message: 'The wallet sent another transaction first',
  })
})

test('a wallet that refuses is reported as such', async () => {
  expect(await describeRefusal(4001, 'User rejected the request.')).toMatchObject({ code: 'PAYMENT_REJECTED' })
  expect(await describeRefusal(4200, 'unsupported')).toMatchObject({
    code: 'PAYMENT_REJECTED',
    message: 'This wallet does not support this payment',
  })
  expect(await describeRefusal(-32000, 'out of gas')).toMatchObject({
    code: 'PAYMENT_FAILED',
    message: expect.stringContaining('out of gas'),
  })
})

import { CairnError, getPayment, getQuotaDetails, getTicker, listPayments, useFaucet } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { createFaucet, type Faucet } from './faucet.ts'
import { findPayments, findTransaction, getQuotaOf } from './payments.ts'
import { createPrices } from './prices.ts'

/** Registers the routes about prices, payments and what they bought. */
export function registerPaymentRoutes(app: FastifyInstance, context: Context): void {
  const { payments } = context.config
  const prices = createPrices(context, payments.prices)
  const faucet = openFaucet(context)

  route(app, context, getTicker, async ({ input: { query } }) => {
    const { price, decimals } = await prices.getTicker(query.symbol)
    return Number(price) / 10 ** decimals
  })
  route(app, context, listPayments, ({ input: { query }, caller }) => findPayments(context, caller.address, query))
  route(app, context, getPayment, ({ input: { params } }) => findTransaction(context, params.network, params.txHash))
  route(app, context, getQuotaDetails, ({ input: { query }, caller }) => getQuotaOf(context, caller.address, query))
  route(app, context, useFaucet, async ({ input: { body } }) => {
    if (faucet === undefined) {
      throw new CairnError('NOT_SUPPORTED', {
        message: 'This network has no faucet',
        hint: 'Only local networks have a faucet. Coins of real chains must be bought.',
      })
    }
    return { sent: await faucet.send(body.address, body.coin) }
  })
}

function openFaucet({ config }: Context): Faucet | undefined {
  const [network] = config.payments.networks
  const { faucetKey } = config
  if (network === undefined || faucetKey === undefined) return undefined
  return createFaucet(network, `0x${faucetKey.replace(/^0x/, '')}`)
}

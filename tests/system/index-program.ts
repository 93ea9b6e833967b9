// A child process that credits payments, for tests that kill it.
// node index-program.ts <database> <settings as JSON>    reads the chain until nothing is left, prints how many it credited
import { readFileSync } from 'node:fs'
import { readConfig } from '../../services/storage/src/config.ts'
import { openDatabase } from '../../services/storage/src/db/database.ts'
import { createNetworkIndexer } from '../../services/storage/src/payments/index-network.ts'
import { openPaymentContext } from '../../services/storage/src/payments/payment-context.fixture.ts'
import { createPrices } from '../../services/storage/src/payments/prices.ts'

const [, , database = '', settings = ''] = process.argv
const config = readConfig({ CAIRN_PAYMENTS: readFileSync(settings, 'utf8'), CAIRN_FREE_BYTES: '1000' })
await using db = await openDatabase({ kind: 'sqlite', path: database })
const context = openPaymentContext(db, config)
let credited = 0
for (const network of config.payments.networks) {
  const prices = createPrices(context, config.payments.prices)
  const indexer = createNetworkIndexer({ context, network, prices, requireLease: async () => {} })
  for (let isBehind = true; isBehind; ) {
    const round = await indexer.round()
    credited += round.credited
    isBehind = round.isBehind
  }
}
process.stdout.write(`credited ${credited}\n`)

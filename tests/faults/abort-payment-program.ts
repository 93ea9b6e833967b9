// Sends a payment, and stops to wait for its block on SIGINT. Prints the error, and exits only if nothing of the wait is left.
import { CairnError, createClient, type NetworkProfile, pay } from '@cairn/sdk'

const [profile = '', privateKey = ''] = process.argv.slice(2)
const network: NetworkProfile = JSON.parse(profile)
const stop = new AbortController()
process.once('SIGINT', () => stop.abort())
try {
  await pay(createClient({ network }), { privateKey }, { units: 1_000_000n }, { signal: stop.signal })
} catch (error) {
  process.stdout.write(CairnError.from(error).code)
}

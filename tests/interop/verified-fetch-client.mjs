// Runs beside the installed @helia/verified-fetch: reads its arguments from a gateway and a router, and prints one
// line of JSON for each. It uses HTTP only, so nothing outside this machine is contacted.
import { createHash } from 'node:crypto'
import { withHTTP } from '@helia/http'
import { createVerifiedFetchWithHelia } from '@helia/verified-fetch'
import * as dagCbor from '@ipld/dag-cbor'
import { createHeliaLight } from 'helia'

const [gateway, router, ...requests] = process.argv.slice(2)
const helia = await withHTTP(createHeliaLight({ codecs: [dagCbor] }), {
  delegatedRouters: [router],
  recursiveGateways: gateway === '' ? [] : [gateway],
  allowInsecure: true,
  allowLocal: true,
}).start()
const verifiedFetch = await createVerifiedFetchWithHelia(helia)
for (const request of requests) {
  const { url, range } = JSON.parse(request)
  const response = await verifiedFetch(url, range === undefined ? {} : { headers: { range } })
  const bytes = new Uint8Array(await response.arrayBuffer())
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  process.stdout.write(`${JSON.stringify({ status: response.status, bytes: bytes.length, sha256 })}\n`)
}
await verifiedFetch.stop()
await helia.stop()

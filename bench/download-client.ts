// Downloads a file with the SDK in its own process: `download-client.ts URL CID TARGET`.
import { createClient, downloadFile, loadNetwork } from '@cairn/sdk'

const [api = '', cid = '', target = ''] = process.argv.slice(2)
const client = createClient({ network: await loadNetwork(api) })
const started = performance.now()
await downloadFile(client, cid, target)
console.log(`${cid} took ${performance.now() - started} ms`)

// Uploads a file encrypted, or downloads one, in its own process: `encrypted-client.ts HOME up PATH [v1|v2]`,
// `encrypted-client.ts HOME down|down-plain CID TARGET`.
import { join } from 'node:path'
import {
  createApiKey,
  createClient,
  decryptFile,
  downloadFile,
  loadNetwork,
  openKeySession,
  uploadEncrypted,
} from '@cairn/sdk'

const [home = '', way = '', what = '', more = ''] = process.argv.slice(2)
const network = await loadNetwork(join(home, 'network.json'))
const privateKey = network.wallet?.privateKey
if (privateKey === undefined) throw new Error('the profile has no wallet')
const anonymous = createClient({ network })
const keySession = await openKeySession(anonymous, { privateKey })
const client = createClient({ network, apiKey: await createApiKey(anonymous, { privateKey }), keySession })
const started = performance.now()
if (way === 'up') {
  const { cid } = await uploadEncrypted(client, what, { format: more === 'v2' ? 'v2' : 'v1' })
  console.log(`${cid} took ${performance.now() - started} ms`)
} else {
  const download = way === 'down' ? decryptFile : downloadFile
  const { sizeBytes } = await download(client, what, more)
  console.log(`${sizeBytes} took ${performance.now() - started} ms`)
}

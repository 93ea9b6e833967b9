// Uploads a file or folder with the SDK in its own process: `upload-client.ts NETWORK PATH [resumable]`. NETWORK is the
// home of a local network, or the URL of a storage service with an API key in CAIRN_API_KEY.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey, createClient, createResumable, loadNetwork, uploadFile, uploadFolder } from '@cairn/sdk'

const [where = '', path = '', mode] = process.argv.slice(2)
const network = await loadNetwork(where.startsWith('http') ? where : join(where, 'network.json'))

async function findKey(): Promise<string> {
  const given = process.env['CAIRN_API_KEY']
  if (given !== undefined) return given
  const privateKey = network.wallet?.privateKey
  if (privateKey === undefined) throw new Error('the profile has no wallet')
  return createApiKey(createClient({ network }), { privateKey })
}

const client = createClient({ network, apiKey: await findKey() })
const options = mode === 'resumable' ? { resumable: createResumable() } : {}
const started = performance.now()
const upload = statSync(path).isDirectory() ? uploadFolder : uploadFile
const result = await upload(client, path, options)
console.log(`${result.cid} took ${performance.now() - started} ms`)

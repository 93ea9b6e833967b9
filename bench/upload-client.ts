// Uploads a file or folder with the SDK in its own process: `upload-client.ts HOME PATH`.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey, createClient, loadNetwork, uploadFile, uploadFolder } from '@cairn/sdk'

const [home = '', path = ''] = process.argv.slice(2)
const network = await loadNetwork(join(home, 'network.json'))
const key = network.wallet?.privateKey
if (key === undefined) throw new Error('the profile has no wallet')
const anonymous = createClient({ network })
const client = createClient({ network, apiKey: await createApiKey(anonymous, { privateKey: key }) })
const started = performance.now()
const result = statSync(path).isDirectory() ? await uploadFolder(client, path) : await uploadFile(client, path)
console.log(`${result.cid} took ${performance.now() - started} ms`)

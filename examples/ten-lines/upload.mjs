import { createApiKey, createClient, createWallet, downloadBytes, loadNetwork, uploadText } from '@cairn/sdk'

const network = await loadNetwork('http://127.0.0.1:8080')
const apiKey = await createApiKey(createClient({ network }), createWallet())
const client = createClient({ network, apiKey })
const { cid } = await uploadText(client, 'hello world', { name: 'hello.txt' })
console.log(cid, new TextDecoder().decode(await downloadBytes(client, cid)))

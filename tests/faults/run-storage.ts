import { readConfig, startStorage } from '@cairn/storage'

// A storage service in a process of its own, to be killed: it prints where it is and runs until then.
const storage = await startStorage(readConfig())
process.stdout.write(`${JSON.stringify({ api: storage.apiUrl, gateway: storage.gatewayUrl })}\n`)

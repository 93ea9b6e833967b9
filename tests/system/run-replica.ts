import { readConfig, startStorage } from '@cairn/storage'

// A replica in its own process: it prints its process id and its URL, and runs until it is killed.
const storage = await startStorage(readConfig())
process.stdout.write(`${JSON.stringify({ pid: process.pid, api: storage.apiUrl, gateway: storage.gatewayUrl })}\n`)

import { readConfig, startStorage } from '@cairn/storage'

// A replica in a process of its own: it prints its number and where it is, and runs until it is killed.
const storage = await startStorage(readConfig())
process.stdout.write(`${JSON.stringify({ pid: process.pid, api: storage.apiUrl, gateway: storage.gatewayUrl })}\n`)

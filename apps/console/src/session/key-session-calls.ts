// Loaded by those who need key nodes: its cryptography is a good part of the console.
export { closeKeySession, openKeySession } from '@cairn/sdk'

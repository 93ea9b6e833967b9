// Loaded by those who sign in or need key nodes: its cryptography is a good part of the console.
export { closeKeySession, createHeldSessionKey, openKeySession, signIn } from '@cairn/sdk'

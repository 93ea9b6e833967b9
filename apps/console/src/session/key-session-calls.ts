// Loaded by those who sign in or out, or need key nodes: its cryptography is a good part of the console.
export { createHeldSessionKey, openKeySession, signIn } from '@cairn/sdk'
export { endCredentials, endKeySession } from './end-credentials.ts'

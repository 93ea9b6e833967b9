// Loaded on sign-in, sign-out, or use of key nodes: its cryptography is a large part of the console.
export { createHeldSessionKey, extendKeySession, openKeySession, signIn } from '@cairn/sdk'
export { endKeySession } from './end-key-session.ts'

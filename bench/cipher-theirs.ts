// The same with the functions of the published SDK: `cipher-theirs.ts SOURCE ENCRYPTED PLAIN`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

type Cipher = {
  encryptFile(bytes: ArrayBuffer, key: string): Promise<Uint8Array>
  decryptFile(bytes: Uint8Array, key: string): Promise<ArrayBuffer>
}
const require = createRequire(import.meta.url)
const theirs: Cipher = require('@lighthouse-web3/sdk/dist/Lighthouse/uploadEncrypted/encryptionNode.js')

const [source = '', encrypted = '', plain = ''] = process.argv.slice(2)
const key = '1'.repeat(64)
const started = performance.now()
writeFileSync(encrypted, await theirs.encryptFile(new Uint8Array(readFileSync(source)).buffer, key))
const middle = performance.now()
writeFileSync(plain, new Uint8Array(await theirs.decryptFile(new Uint8Array(readFileSync(encrypted)), key)))
console.log(`encrypt took ${middle - started} ms, decrypt took ${performance.now() - middle} ms`)

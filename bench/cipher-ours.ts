// Encrypts and decrypts a file with our formats: `cipher-ours.ts v1|v2 SOURCE ENCRYPTED PLAIN`.
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { decryptUnverified } from '../packages/sdk/src/encryption/decrypt-stream.ts'
import { encryptStream } from '../packages/sdk/src/encryption/encrypt-stream.ts'

const [format, source = '', encrypted = '', plain = ''] = process.argv.slice(2)
const key = '1'.repeat(64)
const read = (path: string) => createReadStream(path, { highWaterMark: 1024 * 1024 })
const started = performance.now()
const sealed = encryptStream(read(source), key, { format: format === 'v2' ? 'v2' : 'v1' })
await pipeline(Readable.from(sealed), createWriteStream(encrypted))
const middle = performance.now()
await pipeline(Readable.from(decryptUnverified(read(encrypted), key)), createWriteStream(plain))
console.log(`encrypt took ${middle - started} ms, decrypt took ${performance.now() - middle} ms`)

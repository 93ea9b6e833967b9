import { decryptStream } from './decrypt-stream.ts'
import { encryptStream } from './encrypt-stream.ts'

// A separate process: encrypts and decrypts the given MiB, stores nothing, and prints its peak memory in KiB.
const [format, mebibytes] = process.argv.slice(2)
const masterKey = '1'.repeat(64)

async function* zeros(): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(256 * 1024)
  for (let i = 0; i < 4 * Number(mebibytes); i++) yield piece
}

let total = 0
for await (const piece of decryptStream(
  encryptStream(zeros(), masterKey, { format: format === 'v2' ? 'v2' : 'v1' }),
  masterKey,
)) {
  total += piece.length
}
console.log(JSON.stringify({ total, peakKib: process.resourceUsage().maxRSS }))

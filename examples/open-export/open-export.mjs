// Decrypts files and keys of an export of `cairn export --all`, without Cairn: Node 20 and the wallet that exported suffice.
// docs/file-format.md describes the formats, and how to run this program.
import { createDecipheriv, createHmac, hkdfSync, pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [exported, signature, id, source, target] = process.argv.slice(2)
const { account, seal } = JSON.parse(readFileSync(join(exported, 'manifest.json'), 'utf8'))

if (signature === undefined) {
  process.stdout.write(
    [
      'Cairn archive',
      `Account: ${account}`,
      `Archive: ${seal.salt}`,
      'Whoever has this signature can open the file keys in this archive. Sign it only to export or import your own account.',
    ].join('\n'),
  )
} else {
  const fileKey = openSealedKey()
  if (source === undefined) process.stdout.write(fileKey)
  else if (statSync(source).isDirectory()) decryptFolder(fileKey)
  else writeFileSync(target, decrypt(readFileSync(source), fileKey))
}

/** Returns the key of a file, 64 hex characters, or that of a name. */
function openSealedKey() {
  const secret = Buffer.from(signature.replace(/^0x/, ''), 'hex')
  const key = hkdfSync('sha256', secret, Buffer.from(seal.salt, 'hex'), 'cairn-archive/1', 32)
  const rows = readFileSync(join(exported, 'keys.jsonl'), 'utf8').split('\n').filter(Boolean)
  const row = rows.map((line) => JSON.parse(line)).find((one) => (one.cid ?? one.name) === id)
  if (row === undefined) throw new Error(`keys.jsonl has no key of ${id}`)
  const [iv, sealed] = [row.sealed.iv, row.sealed.ciphertext].map((text) => Buffer.from(text, 'base64'))
  return open(Buffer.from(key), iv, sealed, id).toString('utf8')
}

/** Opens one message of AES-256-GCM, whose last 16 bytes are its tag. Throws if the key is wrong or a byte has changed. */
function open(key, nonce, sealed, additionalData = '') {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
  decipher.setAAD(Buffer.from(additionalData)).setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
}

function decrypt(bytes, fileKey) {
  const isV2 = bytes.subarray(0, 8).equals(Buffer.from('89434149524e0d0a', 'hex'))
  return isV2 ? decryptV2(bytes, fileKey) : decryptV1(bytes, fileKey)
}

function decryptV1(bytes, fileKey) {
  const key = pbkdf2Sync(fileKey, bytes.subarray(0, 16), 250_000, 32, 'sha256')
  return open(key, bytes.subarray(16, 28), bytes.subarray(28))
}

function decryptV2(bytes, fileKey) {
  const derive = (purpose) =>
    Buffer.from(hkdfSync('sha256', fileKey, bytes.subarray(12, 44), `cairn/file/2/${purpose}`, 32))
  if (!timingSafeEqual(derive('commitment'), bytes.subarray(60, 92))) throw new Error('The key does not match the file')
  const mac = createHmac('sha256', derive('header')).update(bytes.subarray(0, 124)).digest().subarray(0, 24)
  if (!timingSafeEqual(mac, bytes.subarray(124, 148))) throw new Error('The header was changed')
  const key = derive('chunks')
  const sealedBytes = 2 ** bytes[9] + 16
  const chunks = []
  for (let start = 148, counter = 0; start < bytes.length; start += sealedBytes, counter++) {
    const nonce = Buffer.alloc(12)
    bytes.copy(nonce, 0, 44, 51)
    nonce.writeUInt32BE(counter, 7)
    nonce[11] = start + sealedBytes >= bytes.length ? 1 : 0
    chunks.push(open(key, nonce, bytes.subarray(start, start + sealedBytes)))
  }
  return Buffer.concat(chunks)
}

/** Decrypts a folder that was encrypted as one: its file `index` maps the other files to their names. */
function decryptFolder(fileKey) {
  const read = (name) => decrypt(readFileSync(join(source, name)), fileKey)
  if (!readdirSync(source).includes('index')) throw new Error(`${source} is not a folder that was encrypted as one`)
  const { files, folders = [] } = JSON.parse(read('index').toString('utf8'))
  for (const path of [...folders, ...files.map((file) => file.path)])
    if (path.split('/').some((name) => ['', '.', '..'].includes(name))) throw new Error(`Unsafe path: ${path}`)
  for (const path of folders) mkdirSync(join(target, path), { recursive: true })
  for (const { path, entry } of files) {
    mkdirSync(dirname(join(target, path)), { recursive: true })
    writeFileSync(join(target, path), read(entry))
  }
}

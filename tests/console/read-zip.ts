import { crc32 } from 'node:zlib'

/** Reads a ZIP of stored files by its central directory, and checks the checksum of each file. */
export function readZip(zip: Buffer): Map<string, Buffer> {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const count = zip.readUInt16LE(end + 10)
  const files = new Map<string, Buffer>()
  for (let i = 0, at = zip.readUInt32LE(end + 16); i < count; i++) {
    const [method, sum, packedBytes, sizeBytes] = [10, 16, 20, 24].map((offset) =>
      offset === 10 ? zip.readUInt16LE(at + offset) : zip.readUInt32LE(at + offset),
    )
    const [nameBytes = 0, extraBytes = 0, commentBytes = 0] = [28, 30, 32].map((offset) =>
      zip.readUInt16LE(at + offset),
    )
    const name = zip.subarray(at + 46, at + 46 + nameBytes).toString()
    const local = zip.readUInt32LE(at + 42)
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const content = zip.subarray(start, start + (sizeBytes ?? 0))
    if (method !== 0 || packedBytes !== sizeBytes || crc32(content) !== sum) throw new Error(`${name} is damaged`)
    files.set(name, content)
    at += 46 + nameBytes + extraBytes + commentBytes
  }
  return files
}

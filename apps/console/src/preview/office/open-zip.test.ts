import { downloadZip } from 'client-zip'
import { expect, test } from 'vitest'
import { maxReadBytes, openZip } from './open-zip.ts'

const deflate = async (text: string) =>
  new Uint8Array(
    await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))).arrayBuffer(),
  )

/** A ZIP with one compressed file, written by hand, because the console's writer does not compress. */
async function zipDeflated(name: string, text: string): Promise<Uint8Array> {
  const [path, body] = [Buffer.from(name), Buffer.from(await deflate(text))]
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(8, 8)
  local.writeUInt16LE(path.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(body.length, 20)
  entry.writeUInt16LE(path.length, 28)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(entry.length + path.length, 12)
  end.writeUInt32LE(local.length + path.length + body.length, 16)
  return Buffer.concat([local, path, body, entry, path, end])
}

test('reads stored and compressed files', async () => {
  const files = [
    { name: 'a/one.xml', input: '<one/>' },
    { name: 'größe.txt', input: 'zwei' },
  ]
  const zip = await openZip(await downloadZip(files).blob())
  expect(zip.names).toEqual(['a/one.xml', 'größe.txt'])
  expect(new TextDecoder().decode(await zip.read('größe.txt'))).toBe('zwei')
  expect(await zip.read('three')).toBeUndefined()
  const text = 'stones '.repeat(10_000)
  const compressed = await openZip(new Blob([new Uint8Array(await zipDeflated('two.xml', text))]))
  expect(new TextDecoder().decode(await compressed.read('two.xml'))).toBe(text)
})

test('rejects files that are not a ZIP, are cut off, or decompress to too much', async () => {
  const zip = new Uint8Array(await zipDeflated('two.xml', 'text'))
  await expect(openZip(new Blob(['no zip']))).rejects.toThrow(RangeError)
  await expect(openZip(new Blob([zip.subarray(0, -1)]))).rejects.toThrow(RangeError)
  await expect(openZip(new Blob([zip.subarray(40)]))).rejects.toThrow(RangeError)
  const bomb = await openZip(new Blob([new Uint8Array(await zipDeflated('two.xml', ' '.repeat(60_000_000)))]))
  await expect(bomb.read('two.xml')).rejects.toThrow('too large')
})

test('stops at a document that reads the same part again and again', async () => {
  const zip = await openZip(new Blob([new Uint8Array(await zipDeflated('big.xml', ' '.repeat(40_000_000)))]))
  const readAll = async () => {
    for (let read = 0; read <= maxReadBytes; read += 40_000_000) await zip.read('big.xml')
    await zip.read('big.xml')
  }
  await expect(readAll()).rejects.toThrow('too large')
})

// A child process that adds a folder of many tiny files and prints how much memory each needs while they arrive:
// node --expose-gc part-memory-program.ts <parts>
import { GIB } from '@cairn/protocol'
import { feedFrom } from '../../services/storage/src/multipart/read-multipart.ts'
import { addFiles } from '../../services/storage/src/uploads/add-files.ts'
import { openTestContext, testAddress } from '../../services/storage/src/uploads/open-test-context.suite.ts'
import { readUploadSettings } from '../../services/storage/src/uploads/upload-settings.ts'

const parts = Number(process.argv[2])
const partsPerPiece = 256

/** Bytes in use after garbage collection. */
function usedBytes(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

let firstBytes = 0
let lastBytes = 0

function* body(): Generator<Uint8Array> {
  for (let at = 0; at < parts; at += partsPerPiece) {
    let text = ''
    for (let i = at; i < Math.min(parts, at + partsPerPiece); i++) {
      const name = `photos/2026/IMG_${String(i).padStart(8, '0')}.jpg`
      text += `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\nfile ${i}\r\n`
    }
    yield Buffer.from(text)
    if (at === 0) firstBytes = usedBytes()
  }
  lastBytes = usedBytes()
  yield Buffer.from('--b--\r\n')
}

await using test = await openTestContext(GIB)

const { roots } = await addFiles(test.context, testAddress, feedFrom(body()), {
  boundary: 'b',
  bodyBytes: undefined,
  ...readUploadSettings({}, 1),
  onlyHash: false,
  isKubo: false,
})
const bytesPerPart = Math.round((lastBytes - firstBytes) / parts)
process.stdout.write(`${JSON.stringify({ roots: roots.length, bytesPerPart })}\n`)

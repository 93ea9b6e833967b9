import { createCipheriv, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** Writes a file of new pseudo-random bytes (never repeated, so that none is stored yet) and syncs it. */
export function makeFile(path: string, sizeBytes: number): void {
  const cipher = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16))
  const zeros = Buffer.alloc(4 * 1024 * 1024)
  const file = openSync(path, 'w')
  for (let done = 0; done < sizeBytes; ) {
    const piece = cipher.update(zeros.subarray(0, Math.min(zeros.length, sizeBytes - done)))
    writeSync(file, piece)
    done += piece.length
  }
  fsyncSync(file)
  closeSync(file)
}

/** Writes a folder of files with new random bytes. */
export function makeFolder(path: string, count: number, sizeBytes: number): void {
  mkdirSync(path, { recursive: true })
  for (let i = 0; i < count; i++)
    writeFileSync(join(path, `file-${String(i).padStart(6, '0')}.bin`), randomBytes(sizeBytes))
}

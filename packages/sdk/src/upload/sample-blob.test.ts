import { mkdtempSync, openAsBlob, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleBlob } from './sample-blob.ts'

test('reports a file that was changed after it was chosen as unreadable', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-sample-'))
  try {
    const path = join(folder, 'film.mkv')
    writeFileSync(path, new Uint8Array(3_000_000))
    const blob = await openAsBlob(path)
    expect(await sampleBlob(blob)).toMatch(/^[0-9a-f]{64}$/)
    truncateSync(path, 2_000_000)
    await expect(sampleBlob(blob)).rejects.toMatchObject({ code: 'FILE_UNREADABLE', hint: 'Select it again.' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { createState } from '../state/state.ts'
import { uploadResumably } from './resume-upload.ts'

test('returns a stored upload although its progress cannot be cleared, and says so', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-resume-'))
  try {
    const path = join(folder, 'film')
    writeFileSync(path, 'film')
    const api = 'http://127.0.0.1:9'
    const client = createClient({ network: { name: 't', api, upload: api, gateway: api } })
    const stored = { cid: 'bafkqaaa', name: 'film', sizeBytes: 4, dagSizeBytes: 4 }
    const upload = async () => {
      mkdirSync(join(folder, 'uploads.json.lock'))
      return stored
    }
    const notes: string[] = []
    const context = { state: createState(folder), output: { note: (text: string) => notes.push(text) } }
    expect(await uploadResumably(context, client, path, {}, upload)).toEqual(stored)
    expect(notes).toEqual([expect.stringMatching(/^The upload is stored, but its progress could not be cleared\. ./)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

import { createClient } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { saveKnown } from './own-drive.ts'

test('a stored change is no error if its revision cannot be remembered', async () => {
  const notes: string[] = []
  const full = new Error('ENOSPC: no space left on device')
  const context = {
    state: { writeDrive: () => Promise.reject(full) },
    output: { note: (text: string) => void notes.push(text) },
  }
  const api = 'http://127.0.0.1:1'
  const client = createClient({ network: { name: 't', api, upload: api, gateway: api } })
  await saveKnown(context, client, { known: { keyCid: 'bafy', revision: 2, tip: 'x' } })
  expect(notes).toEqual([expect.stringMatching(/^The change is stored, but .+ENOSPC: no space left on device/)])
})

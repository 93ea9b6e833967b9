import { randomBytes } from 'node:crypto'
import { open, rename } from 'node:fs/promises'

/** Writes a secret, readable to its owner alone: under another name first, so that a start that is cut off leaves no half of it. */
export async function writeSecretFile(path: string, secret: string): Promise<void> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${secret}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
}

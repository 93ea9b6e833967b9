// A browser with windows, whose own dialog chooses where a file is saved: what remains of the file when the wallet declines.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { uploadEncryptedText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from '../console/console.fixture.ts'
import { dropKeySession } from '../console/drop-key-session.ts'
import { createAccountClient } from '../console/wallet-client.ts'
import { ownChromium } from '../has-chromium.ts'
import { requireProgram } from './require-program.ts'

const run = promisify(execFile)
const patience = { timeout: 60_000 }
const mebibyte = 1024 * 1024
const stack = new AsyncDisposableStack()
let site: ConsoleTest
let display = ''
let folder = ''
beforeAll(async () => {
  const executablePath = ownChromium ?? requireProgram('chromium', 'chromium')
  requireProgram('xdotool', 'xdotool')
  const server = spawn(requireProgram('Xvfb', 'xvfb'), ['-displayfd', '3', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  stack.defer(() => void server.kill())
  const [line] = await once(server.stdio[3] as Readable, 'data')
  display = `:${String(line).trim()}`
  folder = await mkdtemp(join(tmpdir(), 'cairn-saved-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  site = stack.use(await openConsoleTest({ executablePath, screen: { display, home: folder } }))
})
afterAll(() => stack.disposeAsync())

/** Accepts the folder and the name in the browser's dialog for a file to save. */
async function acceptDialog(): Promise<void> {
  const env = { ...process.env, DISPLAY: display }
  const steer = async (...words: string[]) => (await run('xdotool', words, { env })).stdout.trim()
  // The title is the warning that a page can write to the file. It accepts keys shortly after it appears.
  const find = ['search', '--onlyvisible', '--name', 'this site can see edits']
  const dialog = await steer(...find.toSpliced(1, 0, '--sync'))
  const isOpen = () => steer(...find).then(Boolean, () => false)
  await expect
    .poll(async () => {
      await steer('windowfocus', dialog, 'key', 'alt+s').catch(() => '')
      return isOpen()
    }, patience)
    .toBe(false)
}

test('declining the signature while a file is saved leaves no file at the chosen place', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadEncryptedText(client, 'Long ago', { name: 'film.bin' })
  // The files of this test are small; those that are saved without being shown are reported as large.
  const db = site.network.storage.context.db
  await db.write(async (trx) => {
    await trx
      .updateTable('upload')
      .set({ size_bytes: 600 * mebibyte })
      .where('cid', '=', cid)
      .execute()
  })
  await open(`/open/${cid}`)
  await signIn()
  await dropKeySession(page)
  await page.reload()
  const save = page.getByRole('button', { name: 'Save decrypted file' })
  const signature = page.getByRole('dialog', { name: 'One more signature' })
  const path = join(folder, 'film.bin')
  await save.click()
  await acceptDialog()
  await signature.waitFor(patience)
  expect(await readdir(folder)).toContain('film.bin')
  wallet.rejectNext('personal_sign')
  await signature.getByRole('button', { name: 'Sign' }).click()
  await signature.getByRole('alert').getByText('Rejected in the wallet').waitFor()
  await signature.getByRole('button', { name: 'Cancel' }).click()
  await save.waitFor()
  await expect.poll(() => readdir(folder), patience).not.toContain('film.bin')

  await save.click()
  await acceptDialog()
  await signature.getByRole('button', { name: 'Sign' }).click()
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor(patience)
  expect(await readFile(path, 'utf8')).toBe('Long ago')
})

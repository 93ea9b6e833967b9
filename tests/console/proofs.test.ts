// Proofs in the page: the progress of a file, verification in the browser itself, and a lying provider.
import { proofReason } from '@cairn/protocol'
import { openDrive, uploadText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFirefox } from '../firefox.ts'
import { untilProven } from '../until-proven.ts'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { measureShift } from './layout-shift.ts'
import { createPageClient } from './page-client.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ providers: 2 })
})
afterAll(() => site?.[Symbol.asyncDispose]())

test('follows a file until it is proven, verifies it in the browser, and clearly reports a lying provider', async () => {
  const opened = await site.newPage()
  const { page, problems } = opened
  await opened.open('/proofs')
  await opened.signIn()
  await page.getByText('Nothing to prove yet').waitFor()
  const client = await createPageClient(site, page)
  const { cid } = await uploadText(client, 'something to prove', { name: 'proven.txt' })
  await page.reload()
  await page.getByRole('link', { name: 'Proofs of proven.txt' }).click()
  await page.getByRole('region', { name: 'Progress' }).waitFor()
  await untilProven(client, cid)

  // The page updates it automatically.
  await page.getByText('In a piece (done)').waitFor()
  await page.getByText('Proven (done)').waitFor()
  await page.getByRole('img', { name: /^Path from the piece to the root/ }).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])

  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await page.getByRole('heading', { name: 'Verified' }).waitFor()
  await page.getByText('2 providers have it now').waitFor()
  expect(await page.getByText(/ answered this browser proven/).count()).toBe(2)
  const [liar] = site.network.profile.providers ?? []
  const honest = page.waitForResponse(`${liar?.url}/pieces/*/challenge`)
  await page.getByText('Download everything').click()
  await page.getByRole('button', { name: 'Verify again' }).click()
  const answer: { proof: { leaf: string }[] } = await (await honest).json()
  await page.getByText('The only block of the content is in').waitFor()
  expect(await opened.checkAccessibility()).toEqual([])
  await page.getByText('Proved', { exact: true }).first().waitFor()

  // One provider answers with bytes that do not belong to the piece.
  const proof = answer.proof.map((one) => ({ ...one, leaf: '11'.repeat(32) }))
  await page.route(`${liar?.url}/pieces/*/challenge`, (route) =>
    route.fulfill({ json: { ...answer, proof }, headers: { 'access-control-allow-origin': '*' } }),
  )
  await page.getByRole('button', { name: 'Verify again' }).click()
  await page.getByRole('alert').getByRole('heading', { name: 'Verification failed' }).waitFor()
  await page.getByText(/ answered this browser failed/).waitFor()
  expect(await opened.checkAccessibility()).toEqual([])

  // A German reader gets the reasons of this browser and of the service in German.
  const german = await site.newPage({ locale: 'de-DE', accounts: 0 })
  await german.page.route(`${liar?.url}/pieces/*/challenge`, (route) =>
    route.fulfill({ json: { ...answer, proof }, headers: { 'access-control-allow-origin': '*' } }),
  )
  await german.page.route('**/api/pieces/*/checks**', async (route) => {
    const response = await route.fetch()
    const { checks }: { checks: object[] } = await response.json()
    const [first] = checks
    const { reason, reasonFacts } = proofReason('LEAF_NOT_IN_ROOT', { leaf: 1234 })
    const nonceSource = `block 77 of chain 31337, 0x${'ab'.repeat(32)}, salt ${'cd'.repeat(16)}`
    await route.fulfill({
      response,
      json: { checks: [{ ...first, outcome: 'wrong', reason, reasonFacts, nonceSource }] },
    })
  })
  await german.open(`/proofs/${cid}`)
  await german.page.getByText('Blatt 1.234 führt nicht zur Wurzel').first().waitFor()
  await german.page.getByText('Block 77 der Chain 31337').first().waitFor()
  await german.page.getByRole('button', { name: 'Überprüfen', exact: true }).click()
  await german.page.getByRole('alert').getByRole('heading', { name: 'Überprüfung fehlgeschlagen' }).waitFor()
  await german.page.getByText('Das Feld „nonce“ der Antwort passt nicht zur Stichprobe').waitFor()
  await german.page.getByText('dass der Inhalt morgen noch verfügbar ist').waitFor()
  expect(problems).toEqual([])
})

test('reports content that is not stored, and sets the number of copies', async () => {
  const opened = await site.newPage({ width: 360, theme: 'dark' })
  const { page, problems } = opened
  await opened.open('/proofs/bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  await page.getByText('Not stored here').waitFor()
  await opened.open('/proofs')
  await opened.signIn()
  await page.getByText('2 providers', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'One copy fewer' }).click()
  await page.getByText('1 provider', { exact: true }).waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  expect(await opened.checkAccessibility()).toEqual([])
  await page.reload()
  await page.getByText('1 provider', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('lists files by their names in the drive, which a phone does not cut', async () => {
  const { page, wallet, open, signIn } = await site.newPage()
  const client = await createAccountClient(site.network, wallet.accounts[0])
  const { cid } = await uploadText(client, 'one', { name: 'scan 0001.txt' })
  const drive = await openDrive(client)
  await drive.change((edit) => edit.move('/scan 0001.txt', '/Passport of Ida.txt'))
  await untilProven(client, cid)
  await open('/files')
  await signIn()
  await page.getByRole('link', { name: 'Passport of Ida.txt' }).waitFor()
  await page.getByRole('link', { name: 'Proofs', exact: true }).click()
  const link = page.getByRole('link', { name: 'Proofs of Passport of Ida.txt' })
  await link.waitFor()
  await page.getByText(/^Proven by \d/).waitFor()
  await page.setViewportSize({ width: 320, height: 720 })
  await expect.poll(() => link.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
})

test.skipIf(isFirefox)(
  'the list of files does not move when their proofs and the number of copies arrive',
  async () => {
    for (const width of [1280, 360]) {
      const { page, wallet, open, signIn } = await site.newPage({ width })
      const client = await createAccountClient(site.network, wallet.accounts[0])
      for (const name of ['one', 'two', 'three', 'four', 'five'])
        await uploadText(client, name, { name: `${name}.txt` })
      await page.route(/\/(?:deal_status|copies)/, async (route) => {
        await page.getByRole('link', { name: 'Proofs of one.txt' }).waitFor()
        await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
        await route.continue()
      })
      await open('/api-keys')
      await signIn()
      await open('/proofs')
      await page.getByText(/^\d providers?$/).waitFor()
      const states = page
        .getByRole('list', { name: 'Your files and their proofs' })
        .getByText(/^(?:Proven|With|No deal)/)
      await expect.poll(() => states.count()).toBe(5)
      expect(await measureShift(page), `${width} px`).toBeLessThanOrEqual(0.02)
    }
  },
)

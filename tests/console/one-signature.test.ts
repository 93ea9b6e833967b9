// One signature for storage and key nodes: what it opens, what it leaves on the machine, and what happens without some nodes.
import { getKeyStatus, type KeySession, listFiles, uploadEncryptedText } from '@cairn/sdk'
import type { Page, Route } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import type { ConsolePage } from './console.ts'
import { dropKeySession } from './drop-key-session.ts'
import { finishSharing } from './finish-sharing.ts'
import { loseKeySessions } from './lose-key-sessions.ts'
import { startUpload } from './start-upload.ts'
import { stopNodes } from './take-nodes-away.ts'
import { createAccountClient } from './wallet-client.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

/** Windows that the wallet opened. */
const windows = ({ wallet }: ConsolePage) => wallet.requests.filter((method) => /requestPermissions|sign/.test(method))
const keysDialog = (page: Page) => page.getByRole('dialog', { name: 'One more signature' })
const onceOpened = ['wallet_requestPermissions', 'personal_sign']

type Kept = { apiKey: string; expiresAt: number; keySession?: KeySession }
async function keptSession(page: Page): Promise<Kept> {
  const text: string = await page.evaluate("sessionStorage.getItem('cairn.session')")
  return JSON.parse(text)
}

/** A file of the wallet's own, stored beside the page. */
async function storeOwn({ wallet }: ConsolePage, text: string): Promise<string> {
  const client = await createAccountClient(site.network, wallet.accounts[0])
  return (await uploadEncryptedText(client, text, { name: 'own.txt' })).cid
}

test('signing in takes one connection and one signature, and encrypted files then open without another, also after a reload', async () => {
  const opened = await site.newPage()
  const { page, open, signIn } = opened
  const cid = await storeOwn(opened, 'Opened with the one signature')
  await open('/files')
  await signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  expect(windows(opened)).toEqual(onceOpened)
  await open(`/open/${cid}`)
  await page.getByText('Opened with the one signature').waitFor()
  await page.reload()
  await page.getByText('Opened with the one signature').waitFor()
  expect(windows(opened)).toEqual(onceOpened)
})

test('the session key for the key nodes appears in no text of the page, and no script can read it', async () => {
  const opened = await site.newPage()
  const { page, open, signIn } = opened
  await open('/files')
  await signIn()
  const { keySession } = await keptSession(page)
  expect(keySession?.nodes.filter((node) => node !== null)).toHaveLength(5)
  expect(Object.keys(keySession?.sessionKey ?? {})).toEqual(['publicKey'])
  // The page can use what IndexedDB contains, but cannot export it.
  const held = await page.evaluate(async (name) => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const opening = indexedDB.open('cairn')
      opening.onsuccess = () => resolve(opening.result)
    })
    const entry = await new Promise<{ privateKey: CryptoKey }>((resolve) => {
      const asking = database.transaction('session').objectStore('session').get(name)
      asking.onsuccess = () => resolve(asking.result)
    })
    const exported = await crypto.subtle.exportKey('pkcs8', entry.privateKey).then(
      () => true,
      () => false,
    )
    return { exported, isExtractable: entry.privateKey.extractable }
  }, `key:${keySession?.sessionKey.publicKey}`)
  expect(held).toEqual({ exported: false, isExtractable: false })
})

test('two offline nodes change nothing', async () => {
  const opened = await site.newPage()
  const { page, open, signIn } = opened
  const cid = await storeOwn(opened, 'Three are enough')
  await stopNodes(opened, site.network, 2, 5)
  await open('/files')
  await signIn()
  await open(`/open/${cid}`)
  await page.getByText('Three are enough').waitFor()
  expect(windows(opened)).toEqual(onceOpened)
})

test('signs in with three nodes offline, and asks for a second signature when they are needed', async () => {
  const opened = await site.newPage()
  const { page, open, signIn } = opened
  const cid = await storeOwn(opened, 'Opened with the second one')
  const restoreNodes = await stopNodes(opened, site.network, 1, 2, 3)
  await open('/files')
  await signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  expect(windows(opened)).toEqual(onceOpened)
  await restoreNodes()
  await open(`/open/${cid}`)
  await page.getByRole('button', { name: 'Decrypt and show' }).click()
  await keysDialog(page).getByRole('button', { name: 'Sign' }).click()
  await page.getByText('Opened with the second one').waitFor()
  expect(windows(opened)).toEqual([...onceOpened, 'personal_sign'])
})

test('a second signature belongs to the account asked for it, even if another has signed in meanwhile', async () => {
  const opened = await site.newPage({ accounts: 2 })
  const { page, open, signIn, wallet } = opened
  const cid = await storeOwn(opened, 'Asked for by the first account')
  await open('/files')
  await signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  await dropKeySession(page)
  await open(`/open/${cid}`)
  await page.getByRole('button', { name: 'Decrypt and show' }).click()
  const answer = wallet.holdNext('personal_sign')
  await keysDialog(page).getByRole('button', { name: 'Sign' }).click()
  await expect.poll(() => windows(opened)).toEqual([...onceOpened, 'personal_sign'])
  await wallet.choose(1)
  await page.getByText('The data of the previous account is cleared').waitFor()
  await keysDialog(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: `Account ${wallet.accounts[1]?.address}` }).waitFor()
  // A session at the key nodes that arrives too late is ended there.
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE' && response.ok())
  answer()
  await ended
  expect((await keptSession(page)).keySession?.address).toBe(wallet.accounts[1]?.address.toLowerCase())
})

test('storage works although nodes reject the signed text', async () => {
  const opened = await site.newPage()
  const { page, open, signIn } = opened
  const refuse = (route: Route) =>
    route.fulfill({
      status: 401,
      headers: { 'x-cairn-code': 'INVALID_SIGNATURE' },
      json: { message: 'Invalid Signature' },
    })
  for (const node of [1, 2, 3]) {
    await page.route(`${site.network.profile.keyNodes?.[node - 1]}/api/keys/session/*`, (route) =>
      route.request().method() === 'POST' ? refuse(route) : route.continue(),
    )
  }
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  expect((await keptSession(page)).keySession).toBeUndefined()
  expect(windows(opened)).toEqual(onceOpened)
})

test('announces the end of a session, and one signature extends it', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, wallet, checkAccessibility } = opened
  await open('/files')
  await signIn()
  const before = await keptSession(page)
  const soon = JSON.stringify({ ...before, expiresAt: Date.now() + 5 * 60_000 })
  await page.evaluate((text) => sessionStorage.setItem('cairn.session', text), soon)
  await page.reload()
  await page.getByRole('status').filter({ hasText: 'Your session expires in a few minutes.' }).waitFor()
  await page.getByRole('button', { name: 'Extend' }).click()
  const dialog = page.getByRole('dialog', { name: 'Extend your session' })
  await dialog.waitFor()
  expect(await checkAccessibility()).toEqual([])
  wallet.rejectNext('personal_sign')
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Your session expires in a few minutes.').waitFor({ state: 'detached' })
  const after = await keptSession(page)
  expect(after.expiresAt).toBeGreaterThan(Date.now() + 3_600_000)
  expect(after.apiKey).not.toBe(before.apiKey)
  // The previous key ends; what was created for it continues.
  const url = `${site.network.profile.api}/api/user/user_data_usage`
  const statusOf = async (key: string) => (await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status
  await expect.poll(() => statusOf(before.apiKey)).toBe(401)
  expect(await statusOf(after.apiKey)).toBe(200)
  expect(windows(opened)).toEqual([...onceOpened, 'personal_sign', 'personal_sign'])
})

test('keeps an ended session until all nodes know that it is over', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, checkAccessibility } = opened
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  const restoreNodes = await stopNodes(opened, site.network, 2, 4)
  await page.getByRole('button', { name: /^Account 0x/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  const notice = page.getByRole('status').filter({ hasText: 'still open at key nodes 2 and 4' })
  await notice.waitFor()
  expect(await checkAccessibility()).toEqual([])
  // The page retries automatically when it is opened; only what follows is the button's effect.
  const tried = page.waitForEvent('requestfailed', (request) => request.method() === 'DELETE')
  await page.reload()
  await tried
  const end = notice.getByRole('button', { name: 'End it there', disabled: false })
  await end.waitFor()
  await restoreNodes()
  const ended = page.waitForResponse((response) => response.request().method() === 'DELETE' && response.ok())
  await end.click()
  await ended
  await notice.waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('button', { name: 'Connect wallet' }).first().waitFor()
  expect(await notice.count()).toBe(0)
})

test('a node that lost the session is reached after one signature, which is offered but never requested automatically', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, wallet, checkAccessibility } = opened
  const cid = await storeOwn(opened, 'Kept by five')
  await open('/files')
  await signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  loseKeySessions(site.network, wallet.accounts[0]?.address ?? '', 5)
  await open(`/files/${cid}/access`)
  const notice = page.getByRole('status').filter({ hasText: 'Key node 5 no longer knows your session' })
  await notice.waitFor()
  await page.getByText('Works, but not all five agree').waitFor()
  expect(await checkAccessibility()).toEqual([])
  expect(windows(opened), 'the page opens no wallet').toEqual(onceOpened)
  await notice.getByRole('button', { name: 'Sign in again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reach all five key nodes' })
  expect(await checkAccessibility()).toEqual([])
  wallet.rejectNext('personal_sign')
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await dialog.getByRole('alert').filter({ hasText: 'Rejected in the wallet' }).waitFor()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await dialog.waitFor({ state: 'detached' })
  await notice.waitFor({ state: 'detached' })
  await page.getByText('All five agree', { exact: true }).waitFor()
  // Users who decline it find it beside the five nodes.
  loseKeySessions(site.network, wallet.accounts[0]?.address ?? '', 2, 3)
  await page.reload()
  const lost = page.getByRole('status').filter({ hasText: 'Key nodes 2 and 3 no longer know your session' })
  await lost.getByRole('button', { name: 'Not now' }).click()
  await lost.waitFor({ state: 'detached' })
  await page.getByRole('listitem').filter({ hasText: 'Node 2' }).getByText('Not part of your session').waitFor()
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await page.getByText('All five agree', { exact: true }).waitFor()
  expect(windows(opened)).toEqual([...onceOpened, 'personal_sign', 'personal_sign', 'personal_sign'])
  // And in the settings.
  loseKeySessions(site.network, wallet.accounts[0]?.address ?? '', 4)
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: 'Node 4' }).getByText('Not part of your session').waitFor()
  await open('/settings')
  const settings = page.getByRole('main')
  await settings.getByText('signed in at 4 of 5').waitFor()
  await settings.getByRole('button', { name: 'Sign in again' }).click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await settings.getByText('signed in at 5 of 5').waitFor()
  const { keySession } = await keptSession(page)
  expect([keySession?.nodes.includes(null), keySession?.failures]).toEqual([false, undefined])
})

test('uploads with a key missing on one node say so, also after a reload, and one click repairs all of them', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, wallet, checkAccessibility } = opened
  const client = await createAccountClient(site.network, wallet.accounts[0])
  await open('/files')
  await signIn()
  await page.getByText('Nothing here yet').waitFor()
  const restoreNodes = await stopNodes(opened, site.network, 4)
  await page.keyboard.press('u')
  const names = ['four.txt', 'also.txt', 'third.txt']
  const toFile = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`Kept by four: ${name}`) })
  await page.setInputFiles('input[data-upload=files]', names.map(toFile))
  await startUpload(page, 'encrypted')
  const panel = page.getByRole('region', { name: 'Transfers' })
  const rowOf = (name: string) =>
    panel.getByRole('listitem').filter({ hasText: `Key node 4 does not have the key of ${name} yet` })
  const lacking = rowOf('four.txt')
  for (const name of names) await rowOf(name).getByRole('button', { name: 'Repair' }).waitFor()
  await panel.getByRole('button', { name: 'Repair all' }).waitFor()
  expect(await checkAccessibility()).toEqual([])
  await page.reload()
  // While the node does not answer, a repair does not report completion.
  await lacking.getByRole('button', { name: 'Repair' }).click()
  const failed = panel.getByRole('listitem').filter({ hasText: 'The key nodes do not agree yet' })
  await failed.getByText('Works, but not all five agree. A key node did not take part.').waitFor()
  await failed.getByText('4 of 5 key nodes', { exact: true }).waitFor()
  await restoreNodes()
  await failed.getByRole('button', { name: /^Retry/ }).click()
  const repaired = panel.getByRole('listitem').filter({ hasText: 'The key nodes agree again' })
  await repaired.getByText('5 of 5 key nodes', { exact: true }).waitFor()
  // The others, with one click.
  await panel.getByRole('button', { name: 'Repair all' }).click()
  await expect.poll(() => repaired.count(), { timeout: 60_000 }).toBe(3)
  expect(await panel.getByRole('button', { name: 'Repair all' }).count()).toBe(0)
  for await (const { cid } of listFiles(client)) expect((await getKeyStatus(client, cid)).health).toBe('whole')
})

test('a session that ends in another tab during a wallet request stays ended at the node that then signs in', async () => {
  const opened = await site.newPage()
  const { page, context, open, signIn, wallet, expectProblem } = opened
  // The initial blank page of a tab is not a secure context.
  expectProblem(/randomUUID/)
  const cid = await storeOwn(opened, 'Ended elsewhere')
  await open('/files')
  await signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  loseKeySessions(site.network, wallet.accounts[0]?.address ?? '', 5)
  await open(`/files/${cid}/access`)
  await page.getByRole('button', { name: 'Sign in again' }).first().click()
  const answer = wallet.holdNext('personal_sign')
  await page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click()
  await expect.poll(() => windows(opened)).toEqual([...onceOpened, 'personal_sign'])
  const second = await context.newPage()
  await second.goto('/settings')
  await second.getByRole('button', { name: /^Account 0x/ }).click()
  await second.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('button', { name: /^Account 0x/ }).waitFor({ state: 'detached' })
  const node = site.network.profile.keyNodes?.[4] ?? ''
  const ended = page.waitForResponse(
    (response) => response.request().method() === 'DELETE' && response.url().startsWith(node) && response.ok(),
  )
  answer()
  await ended
})

test('reaches nodes that were offline at sign-in from a file that does not open, and from a change that missed them', async () => {
  const opened = await site.newPage()
  const { page, open, signIn, wallet, checkAccessibility } = opened
  const cid = await storeOwn(opened, 'Opened by the others')
  const restoreSignIn = await stopNodes(opened, site.network, 4, 5)
  await open('/files')
  await signIn()
  await page.getByRole('row').filter({ hasText: 'own.txt' }).waitFor()
  await restoreSignIn()

  // One of the three is offline; the two others, back online, would suffice.
  const restoreFirst = await stopNodes(opened, site.network, 1)
  const lacking = page.getByText('Your session does not include key nodes 4 and 5.')
  const dialog = page.getByRole('dialog', { name: 'Reach all five key nodes' })
  await open(`/open/${cid}`)
  const failure = page.getByRole('alert').filter({ hasText: 'Not enough key nodes are available' })
  await failure.filter({ has: lacking }).waitFor()
  expect(await failure.getByText('Not part of your session').count()).toBe(2)
  expect(await checkAccessibility()).toEqual([])
  expect(windows(opened), 'the page opens no wallet').toEqual(onceOpened)
  await failure.getByRole('button', { name: 'Sign in again' }).click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await page.getByText('Opened by the others').waitFor()
  expect(windows(opened)).toEqual([...onceOpened, 'personal_sign'])
  await restoreFirst()

  // A change that missed a node is repeated when the node is reached.
  loseKeySessions(site.network, wallet.accounts[0]?.address ?? '', 4)
  await open(`/files/${cid}/access`)
  await page.getByRole('button', { name: 'Share' }).click()
  const sharing = page.getByRole('dialog')
  await sharing.getByLabel('Addresses').fill(`0x${'56'.repeat(20)}`)
  await sharing.getByRole('button', { name: /^Share/ }).click()
  await finishSharing(page)
  await page.getByRole('button', { name: /^Show transfers/ }).click()
  const change = page.getByRole('region', { name: 'Transfers' }).getByRole('listitem').filter({ hasText: 'own.txt' })
  await change.getByText('4 of 5 key nodes').waitFor()
  await change.getByText('Your session does not include key node 4.').waitFor()
  expect(await checkAccessibility()).toEqual([])
  await change.getByRole('button', { name: 'Sign in again' }).click()
  await dialog.getByRole('button', { name: 'Sign' }).click()
  await change.getByText('5 of 5 key nodes').waitFor()
  await page.getByText('All five agree', { exact: true }).waitFor()
})

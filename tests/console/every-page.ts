// What holds for every page and all that opens over it: readable in both themes and all accents, no sideways
// scroll on the narrowest phone, nothing in the console. One sign-in for many states, looked at where they stand.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { MIB } from '@cairn/protocol'
import {
  createClient,
  createName,
  createUploadLink,
  pay,
  publishName,
  shareFile,
  uploadEncryptedText,
  uploadFolder,
  uploadText,
  useFaucet,
  waitForCredit,
} from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from './console.fixture.ts'
import { startUpload } from './start-upload.ts'
import { createAccountClient } from './wallet-client.ts'

const longTestMs = 600_000
const wide = { width: 1280, height: 800 }
/** As narrow as 320 px, which a window of 1280 px has at four times its size, and 640 px at twice. */
const narrow = { width: 320, height: 640 }
const looks = [
  [wide, 'light'],
  [narrow, 'dark'],
] as const

/** Opens an address, and waits until what it shows has come. */
async function visit({ page, open }: ConsolePage, path: string): Promise<void> {
  await open(path)
  await page.getByRole('heading').first().waitFor()
  await expect.poll(() => page.locator('.animate-skeleton').count()).toBe(0)
}

async function signInAt(opened: ConsolePage, path: string): Promise<string> {
  await opened.open(path)
  await opened.signIn()
  const { apiKey }: { apiKey: string } = JSON.parse(
    await opened.page.evaluate("sessionStorage.getItem('cairn.session')"),
  )
  return apiKey
}

/** How long a page may take to fit a new size. */
const settleMs = 20_000

/** A page as the build lists it, from the record that the console itself uses. */
type ListedPage = { path: string; needsWallet: boolean; title?: string; shortcut?: string }

async function listPages({ network }: ConsoleTest): Promise<ListedPage[]> {
  return JSON.parse(await readFile(join(network.storage.context.config.consoleFolder ?? '', 'pages.json'), 'utf8'))
}

/** Whatever is over the page is closed by Escape. */
async function close({ page }: ConsolePage): Promise<void> {
  await page.keyboard.press('Escape')
  await page.locator('[role=dialog],[role=menu]').waitFor({ state: 'detached' })
}

/**
 * Defines the tests of all states.
 * @param isExhaustive looks at each state both wide and light and narrow and dark, and at colours in every accent; otherwise
 * in one of the two ways, the same in every run, and at colours in both themes
 */
export function testEveryPage(isExhaustive: boolean): void {
  let site: ConsoleTest
  beforeAll(async () => {
    site = await openConsoleTest({ chain: 'local' })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())

  /** Checks the page as it stands, in the ways this run looks at it. */
  const look = async ({ page, checkAccessibility }: ConsolePage, state: string): Promise<void> => {
    const chosen = isExhaustive ? [0, 1] : [crc32(state) & 1]
    for (const [index, [size, theme]] of looks.entries()) {
      await page.setViewportSize(size)
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
      const where = `${state}, ${size.width} px, ${theme}`
      if (chosen.includes(index)) {
        expect.soft([where, await checkAccessibility({ everyAccent: isExhaustive })]).toEqual([where, []])
      }
      const beyond = 'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)'
      // What depends on the size is drawn again some moments after it changed; what stays too wide is told below.
      // Each look is one evaluation of its own: a function that waits inside the page would break the page's policy.
      const settled = expect.poll(() => page.evaluate(beyond), { timeout: settleMs }).toBe(0)
      await settled.catch(() => undefined)
      expect.soft([where, await page.evaluate(beyond)]).toEqual([where, 0])
    }
    await page.setViewportSize(wide)
  }

  test('what cannot be read in one theme or accent is found in any other', async () => {
    const { page, open, checkAccessibility } = await site.newPage()
    await open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`for (const [name, color, background] of [['theme', '#c81e1e', ''], ['accent', 'var(--accent)', '#5835e6']]) {
      const planted = document.createElement('p')
      planted.textContent = planted.className = 'planted-' + name
      Object.assign(planted.style, { color, background })
      document.querySelector('main').append(planted)
    }`)
    const found = (await checkAccessibility({ everyAccent: true })).map((text) =>
      text.replace(/^(.*)color-contrast.*planted-(\w+).*$/, '$1$2'),
    )
    expect(found.filter((text) => text.endsWith('theme'))).toContain('dark blue theme')
    expect(found.filter((text) => text.endsWith('theme'))).not.toContain('light blue theme')
    expect(found).toContain('light purple accent')
  })

  test('what comes into view is checked as it stays, not through the page behind', async () => {
    const { page, open, checkAccessibility } = await site.newPage()
    await open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.evaluate(`{
      const planted = document.createElement('p')
      planted.textContent = 'Comes into view'
      Object.assign(planted.style, { color: '#fff', background: '#000' })
      document.querySelector('main').append(planted)
      planted.animate({ opacity: [0.1, 0.1, 1] }, 2000)
    }`)
    expect(await checkAccessibility()).toEqual([])
  })

  test('what a visitor sees', { timeout: longTestMs }, async () => {
    const opened = await site.newPage()
    const { page } = opened
    const pages = (await listPages(site)).filter(({ path }) => !path.includes('$'))
    expect(pages.map(({ path }) => path)).toEqual(expect.arrayContaining(['/', '/files', '/api-keys']))
    const shortcuts = pages.flatMap(({ shortcut }) => shortcut ?? [])
    expect(shortcuts).toContain('f')
    expect(shortcuts).toEqual([...new Set(shortcuts)])
    for (const { path, title, needsWallet } of pages) {
      await visit(opened, path)
      if (title !== undefined) expect([path, await page.title()]).toEqual([path, `${title} · Cairn`])
      const gate = page.getByRole('heading', { name: 'Sign in to see this' })
      if (needsWallet) await gate.waitFor()
      await look(opened, path)
    }
    await visit(opened, '/names/no/such/page')
    await look(opened, 'an address without a page')
    await visit(opened, '/open/bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
    await look(opened, 'a link to unknown content')
    await page.getByRole('button', { name: 'Connect wallet' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Test Wallet' }).waitFor()
    await look(opened, 'wallets')
    const bare = await site.newPage({ accounts: 0 })
    await visit(bare, '/')
    await bare.page.getByRole('button', { name: 'Connect wallet' }).first().click()
    await bare.page.getByRole('heading', { name: 'No wallet found' }).waitFor()
    await look(bare, 'no wallet')
  })

  test('files: the list and what opens over it', { timeout: longTestMs }, async () => {
    const opened = await site.newPage()
    const { page } = opened
    const apiKey = await signInAt(opened, '/files')
    await page.getByText('Nothing here yet').waitFor()
    await look(opened, 'no files')
    const client = createClient({ network: site.network.profile, apiKey })
    const long = `${'A very long name without an end '.repeat(6)}.txt`
    const { cid } = await uploadText(client, 'some text', { name: long })
    const folder = await uploadFolder(
      client,
      [
        { path: 'notes/read me.txt', content: new Blob(['Notes on stones\n']) },
        { path: 'notes/deep/unknown.bin', content: new Blob([new Uint8Array([0, 1, 2])]) },
      ],
      { name: 'things' },
    )
    for (const path of ['/files', '/files?view=grid', '/files?q=nothing-fits-this']) {
      await visit(opened, path)
      await look(opened, path)
    }
    await visit(opened, '/files')
    await page.getByRole('checkbox', { name: 'Select things' }).check()
    await look(opened, 'a selection')
    await page.getByRole('button', { name: 'Actions for things' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    await look(opened, 'the menu of a file')
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'New name' }).fill('')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await look(opened, 'renaming to nothing')
    await close(opened)
    await visit(opened, '/files?place=uploads')
    await page.getByRole('checkbox', { name: 'Select things' }).check()
    await page.getByRole('grid').focus()
    await page.keyboard.press('Delete')
    await page.getByRole('heading', { name: 'Delete this file?' }).waitFor()
    await look(opened, 'deleting')
    await close(opened)
    await page.getByRole('button', { name: 'Actions for things' }).click()
    await page.getByRole('menuitem', { name: 'Publish to a name' }).click()
    await page.getByRole('dialog').getByLabel('Label').waitFor()
    await look(opened, 'publishing to a new name')
    await close(opened)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await look(opened, 'shortcuts')
    await close(opened)
    await page.getByRole('button', { name: /^Account 0x/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).waitFor()
    await look(opened, 'account')
    await close(opened)
    await page.setViewportSize(narrow)
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('dialog', { name: 'More' }).waitFor()
    await look(opened, 'more places')
    for (const path of [
      ...['', '?tab=details', '?tab=access', '?tab=proofs', '?tab=names'].map((tab) => `/files/${cid}${tab}`),
      `/files/${folder.cid}`,
      `/files/${folder.cid}/notes/deep`,
      `/files/${folder.cid}/notes/read%20me.txt`,
      `/files/${folder.cid}/notes/deep/unknown.bin`,
      `/open/${cid}`,
    ]) {
      await visit(opened, path)
      await look(opened, path)
    }
  })

  test('uploading: the sheet in each state, and transfers', { timeout: longTestMs }, async () => {
    const opened = await site.newPage()
    const { page } = opened
    await signInAt(opened, '/files')
    await page.getByText('Nothing here yet').waitFor()
    await page.keyboard.press('u')
    const sheet = page.getByRole('dialog', { name: 'Upload' })
    await sheet.waitFor()
    await look(opened, 'nothing chosen')
    await sheet.getByText('Text', { exact: true }).first().click()
    await sheet.getByLabel('Text', { exact: true }).last().fill('a text')
    await look(opened, 'a text')
    await sheet.getByText('Files', { exact: true }).click()
    const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
    await page.setInputFiles('input[data-upload=files]', [file('one.txt'), file('two.txt')])
    await page.getByRole('textbox', { name: 'Name of two.txt' }).fill('one.txt')
    await page.getByText('Duplicate file name found: one.txt').waitFor()
    await look(opened, 'names that come twice')
    await page.getByRole('textbox', { name: 'Name of one.txt' }).last().fill('other.txt')
    await page.route('**/api/v0/add*', (route) =>
      route.fulfill({ status: 402, contentType: 'application/json', body: '{"error":{"code":"QUOTA_EXCEEDED"}}' }),
    )
    await startUpload(page, 'public')
    const panel = page.getByRole('region', { name: 'Transfers' })
    await panel.getByRole('button', { name: 'Retry one.txt' }).waitFor()
    await look(opened, 'uploads that failed')
    await page.unroute('**/api/v0/add*')
    await panel.getByRole('button', { name: 'Retry all failed' }).click()
    await panel.getByText('Stored', { exact: true }).nth(1).waitFor()
    await look(opened, 'uploads that are done')
    await page.route('**/api/user/user_data_usage*', async (route) => {
      const response = await route.fetch()
      const usage: { dataUsed: number } = await response.json()
      await route.fulfill({ response, json: { ...usage, dataLimit: usage.dataUsed } })
    })
    await page.reload()
    await page.getByRole('link', { name: 'other.txt' }).waitFor()
    await page.keyboard.press('u')
    await page.setInputFiles('input[data-upload=files]', [file('three.txt')])
    await page.getByText('more than you have left').first().waitFor()
    await look(opened, 'more than is left')
  })

  test('names, keys, storage, proofs and settings, with their dialogs', { timeout: longTestMs }, async () => {
    const opened = await site.newPage()
    const { page } = opened
    const apiKey = await signInAt(opened, '/names')
    const [account] = opened.wallet.accounts
    if (account === undefined) throw new Error('the wallet has no account')
    await page.getByText('No names yet').waitFor()
    await look(opened, 'no names')
    const client = createClient({ network: site.network.profile, apiKey })
    const { cid } = await uploadText(client, 'some text', { name: 'text.txt' })
    const { name } = await createName(client, { label: 'a label' })
    await visit(opened, `/names/${name}`)
    await look(opened, 'a name that was never published')
    await publishName(client, name, cid)
    await visit(opened, `/names/${name}`)
    await page.getByText('Verified in your browser', { exact: true }).waitFor()
    await look(opened, 'a published name')
    await visit(opened, '/names')
    for (const item of ['Publish', 'Change label', 'Export name key', 'Remove']) {
      await page.getByRole('button', { name: 'Actions for a label' }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
      await page.getByRole('dialog').getByRole('heading').first().waitFor()
      await look(opened, `${item} of a name`)
      await close(opened)
    }
    await page.getByRole('button', { name: 'Create name' }).click()
    await page.getByRole('dialog').getByLabel('Label').waitFor()
    await look(opened, 'a new name')

    await visit(opened, '/api-keys')
    await look(opened, 'api-keys')
    await page.getByRole('button', { name: 'Create API key' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('backup')
    await look(opened, 'a new key')
    await page.getByRole('dialog').getByRole('button', { name: 'Create and sign' }).click()
    await page.getByRole('button', { name: 'Done, I’ve saved it' }).waitFor()
    await look(opened, 'a key shown once')
    await page.getByRole('button', { name: 'Done, I’ve saved it' }).click()
    await page.getByRole('button', { name: 'Revoke backup' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).waitFor()
    await look(opened, 'revoking a key')

    await visit(opened, '/billing')
    await look(opened, 'billing')
    await page.getByText('Other', { exact: true }).click()
    await page.getByLabel('Amount').fill('lots')
    await look(opened, 'a size that is none')
    await page.getByLabel('Amount').fill('5')
    await page.getByText('DAI', { exact: true }).click()
    await page.getByRole('button', { name: 'Review payment' }).click()
    await page.getByText('Not enough DAI in this wallet.').waitFor({ timeout: 60_000 })
    await look(opened, 'a payment without the money')

    await visit(opened, '/links')
    await look(opened, 'no links')
    await createUploadLink(client, { label: 'photos of the walk' })
    await visit(opened, '/links')
    await page.getByRole('list', { name: 'Upload links' }).getByText('photos of the walk').first().waitFor()
    await look(opened, 'an upload link')
    await page.getByRole('button', { name: 'New upload link' }).first().click()
    await page.getByRole('dialog').getByRole('heading').first().waitFor()
    await look(opened, 'a new upload link')
    await close(opened)

    const payer = generatePrivateKey()
    await useFaucet(client, privateKeyToAccount(payer).address)
    const paid = await pay(
      client,
      { privateKey: payer },
      { sizeBytes: MIB, coin: 'native', beneficiary: account.address },
    )
    const [payment] = await waitForCredit(client, paid.network, paid.txHash)
    await visit(opened, `/billing/receipts/${payment?.id}`)
    await page.getByText(paid.txHash).waitFor()
    await look(opened, 'a receipt')
    await visit(opened, '/billing/receipts/none')
    await look(opened, 'a receipt of no payment')
    await visit(opened, '/activity')
    await page
      .getByRole('list', { name: 'Activity' })
      .getByText(/^Payment/)
      .first()
      .waitFor()
    await look(opened, 'activity')
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await page.locator('[role=dialog],[role=menu]').waitFor()
    await look(opened, 'notifications')
    await close(opened)

    for (const path of ['/proofs', `/proofs/${cid}`, '/settings', '/status']) {
      await visit(opened, path)
      await look(opened, path)
    }
    await visit(opened, '/settings')
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await look(opened, 'clearing the device')
  })

  test('encrypted files: locked, opened, shared, handed on, under each kind of condition', {
    timeout: longTestMs,
  }, async () => {
    const opened = await site.newPage()
    const { page } = opened
    const client = await createAccountClient(site.network, opened.wallet.accounts[0])
    const { cid } = await uploadEncryptedText(client, 'a secret', { name: 'secret.txt' })
    await shareFile(client, cid, [`0x${'12'.repeat(20)}`])
    await visit(opened, `/open/${cid}`)
    await look(opened, 'a link to an encrypted file, signed out')
    await signInAt(opened, `/files/${cid}/access`)
    const ask = page.getByRole('main').getByRole('button', { name: 'Show who can open it' })
    const nodes = page.getByRole('heading', { name: 'Key nodes' })
    await ask.or(nodes).first().waitFor()
    if (await ask.isVisible()) {
      await look(opened, 'access, before the key nodes were asked')
      await ask.click()
      await page.getByRole('dialog').or(nodes).first().waitFor()
      if (await page.getByRole('dialog').isVisible()) {
        await look(opened, 'one more signature')
        await page.getByRole('dialog').getByRole('button', { name: 'Sign' }).click()
      }
    }
    await nodes.waitFor()
    await look(opened, 'access of an owner')
    await page.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Addresses').fill('0x12')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Share/ })
      .click()
    await look(opened, 'sharing with what is no address')
    await page.getByRole('dialog').getByRole('button', { name: 'Make a link' }).click()
    const linking = page.getByRole('dialog', { name: 'Make a link' })
    await linking.getByLabel('Number of opens').fill('0')
    await look(opened, 'a link that would never open')
    await linking.getByLabel('Number of opens').fill('1')
    await linking.getByLabel('Password (optional)').fill('a password')
    await linking.getByRole('button', { name: 'Make link' }).click()
    await page.getByRole('dialog', { name: 'Link ready' }).waitFor()
    await look(opened, 'a new link')
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    await close(opened)
    await page.getByRole('list', { name: 'Links' }).waitFor()
    await look(opened, 'access with a link')
    await visit(opened, link.slice(new URL(link).origin.length))
    await look(opened, 'a link with a password')
    await page.getByLabel('Password').fill('another password')
    await page.getByRole('button', { name: 'Open file' }).click()
    await page.getByText('Wrong password.').waitFor()
    await look(opened, 'a link with a wrong password')
    await page.getByLabel('Password').fill('a password')
    await page.getByRole('button', { name: 'Open file' }).click()
    await page.getByText('a secret').waitFor()
    await look(opened, 'an open link')
    await page.reload()
    await page.getByRole('heading', { name: 'This link has been used up' }).waitFor()
    await look(opened, 'a link that is used up')
    await visit(opened, `/files/${cid}/access`)
    await nodes.waitFor()
    await page.getByRole('button', { name: /^Remove access for/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove access', exact: true }).waitFor()
    await look(opened, 'revoking')
    await close(opened)
    await page.getByRole('button', { name: 'Transfer ownership' }).click()
    await page
      .getByRole('dialog')
      .getByLabel('Address of the new owner')
      .fill(`0x${'ab'.repeat(20)}`)
    await look(opened, 'transferring')
    await close(opened)
    await look(opened, 'templates')
    for (const [family, first, others] of [
      [
        'Ethereum (EVM)',
        'Token (ERC-20)',
        [
          'Collection, any item (ERC-721)',
          'Collection, one item (ERC-721)',
          'Items of a kind (ERC-1155)',
          'Coin balance',
          'Block number',
          'Custom contract call',
        ],
      ],
      ['Solana', 'SOL balance', ['Token (SPL)', 'Block height', 'Time']],
      ['Coreum', 'Token', ['Collection', 'Time']],
    ] as const) {
      await page.getByText(family, { exact: true }).click()
      await page.getByRole('button', { name: first, exact: true }).click()
      for (const kind of others) {
        await page.getByRole('button', { name: 'Add a condition' }).click()
        await page.getByRole('menuitem', { name: kind, exact: true }).click()
      }
      await page.getByText('Advanced').first().click()
      await page.getByText('custom grouping').click()
      await page.getByRole('textbox', { name: 'Grouping' }).fill('(1 and 2) or 99')
      await look(opened, `each condition of ${family}`)
      await page.getByRole('button', { name: 'Discard changes' }).click()
      await page.getByText('No conditions.').waitFor()
    }
    await page.getByRole('button', { name: 'As JSON' }).click()
    await page.getByRole('dialog', { name: 'As JSON' }).waitFor()
    await look(opened, 'conditions as JSON')
    await close(opened)
    await page.getByRole('link', { name: 'Shared' }).first().click()
    await page.getByRole('heading', { name: 'Shared', level: 1 }).waitFor()
    await look(opened, 'shared with no one')
    await page.getByText('By me', { exact: true }).click()
    await page.getByRole('link', { name: 'secret.txt' }).waitFor()
    await look(opened, 'shared by me')
    await page.getByRole('link', { name: 'secret.txt' }).click()
    await page.getByText('Back to the file').or(page.getByRole('dialog')).first().waitFor()
    await look(opened, 'what I share')
    const { apiKey } = await createTestKey(site.network)
    const foreign = await uploadEncryptedText({ ...client, apiKey }, 'not a secret', { name: 'other.txt' })
    await page.evaluate(
      `history.pushState({}, '', '/open/${foreign.cid}'); dispatchEvent(new PopStateEvent('popstate'))`,
    )
    await page.getByRole('region', { name: 'other.txt' }).or(page.getByText('not a secret')).first().waitFor()
    await look(opened, 'an encrypted file, opened')
  })

  test('each page of data while it loads, when it failed, and without a network', { timeout: longTestMs }, async () => {
    const opened = await site.newPage()
    const { page, context } = opened
    opened.expectProblem(/status of 500|net::ERR_INTERNET_DISCONNECTED/)
    await signInAt(opened, '/settings')
    for (const [path, call] of [
      ['/files', '**/api/user/files_uploaded*'],
      ['/names', '**/api/names*'],
      ['/billing', '**/api/payments?*'],
      ['/proofs', '**/api/user/files_uploaded*'],
      ['/api-keys', '**/api/auth/api_keys'],
    ] as const) {
      const held = Promise.withResolvers<void>()
      await page.route(call, async (route) => {
        await held.promise
        await route.fulfill({
          status: 500,
          json: { error: { code: 'INTERNAL', message: 'Something broke', details: {} } },
        })
      })
      await opened.open(path)
      await page.locator('.animate-skeleton').first().waitFor()
      await look(opened, `${path} while it loads`)
      held.resolve()
      await page.getByRole('alert').first().waitFor()
      await look(opened, `${path} when it failed`)
      await page.unroute(call)
    }
    const entries = (await listPages(site)).filter(({ title }) => title !== undefined)
    await opened.open('/settings')
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const { path, title = '', shortcut } of entries.filter((entry) => entry.shortcut !== undefined)) {
      await page.keyboard.press('g')
      await page.keyboard.press(shortcut ?? '')
      await page.waitForURL((url) => url.pathname === path)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    }
    const rail = page.getByRole('navigation', { name: 'Main' })
    for (const { title = '' } of entries) await rail.getByRole('link', { name: title, exact: true }).first().waitFor()
    await context.setOffline(true)
    await page.getByText('You are offline').waitFor()
    await look(opened, 'without a network')
  })
}

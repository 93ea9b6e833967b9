// A day of work: one person uses the console, in an order decided by a seed, beside a model of the expected state.
import { decryptBytes, downloadBytes, openDrive, useFaucet } from '@cairn/sdk'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from '../console/console.fixture.ts'
import { finishSharing } from '../console/finish-sharing.ts'
import { startUpload } from '../console/start-upload.ts'
import { createAccountClient } from '../console/wallet-client.ts'
import { createChoices } from './choices.ts'

/** A number of steps, not of minutes, so that a run does the same on each machine. */
const stepCount = Number(process.env['CAIRN_DAY_STEPS'] ?? 300)
const seed = Number(process.env['CAIRN_TEST_SEED'] ?? 1)
/** A machine may be busy with other work. */
const patienceMs = 90_000
/** Files of one folder, few enough to be visible together. */
const maxVisible = 12
/** What a page may retain after a day: lists, query caches, finished transfers. */
const maxGrowthBytes = 48 * 1024 * 1024

type File = { name: string; text: string; isEncrypted: boolean; isStarred: boolean; folder: string }

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest({ chain: 'local', environment: { CAIRN_RATE_FACTOR: '0' } })
})
afterAll(() => site?.[Symbol.asyncDispose]())

const link = (page: Page, name: string) => page.getByRole('grid').getByRole('link', { name, exact: true })
const act = async (page: Page, name: string, action: string) => {
  await link(page, name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

/** The memory and the elements of a page, after garbage collection. */
async function measure({ context, page }: ConsolePage): Promise<{ bytes: number; elements: number }> {
  const session = await context.newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: bytes } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return { bytes, elements: Number(await page.evaluate("document.querySelectorAll('*').length")) }
}

test(`after ${stepCount} steps in the console everything stored is there, and the page has not grown`, async () => {
  console.log(`seed ${seed}: repeat with CAIRN_TEST_SEED=${seed}`)
  const random = createChoices(seed)
  const owner = await site.newPage({ height: 1600 })
  const friend = await site.newPage()
  const visitor = await site.newPage({ accounts: 0, isPhone: true, width: 390, height: 844, theme: 'dark' })
  for (const { page } of [owner, friend, visitor]) page.setDefaultTimeout(patienceMs)
  const { page } = owner
  const [account] = owner.wallet.accounts
  if (account === undefined) throw new Error('the wallet has no account')
  const client = await createAccountClient(site.network, account)
  await useFaucet(client, account.address)
  await owner.open('/files')
  await owner.signIn()
  await friend.open('/files')
  await friend.signIn()

  const files: File[] = []
  const trashed: File[] = []
  const shared = new Set<File>()
  const folders: string[] = []
  let number = 0
  let tab: Page = page
  const at = (folder: string) => files.filter((file) => file.folder === folder)
  const some = () => random.pick(at(''))
  const home = async () => {
    await page.getByRole('link', { name: 'Files', exact: true }).first().click()
    await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'My files' }).click()
    await page.getByRole('button', { name: 'New folder' }).waitFor()
  }
  const openFile = async (name: string) => {
    const href = (await link(page, name).getAttribute('href')) ?? ''
    return /\/files\/(\w+)/.exec(href)?.[1] ?? ''
  }

  /** What a person does, and when it is possible. */
  const works: Record<string, { canStart: () => boolean; run: () => Promise<void> }> = {
    upload: {
      canStart: () => at('').length < maxVisible,
      run: async () => {
        const isEncrypted = random.chance(0.5)
        const name = `note ${++number}.txt`
        const text = `Note ${number} of ${seed}. ${'stone '.repeat(random.below(2_000))}`
        await page.getByRole('button', { name: 'Upload' }).first().click()
        await page.setInputFiles('input[data-upload=files]', {
          name,
          mimeType: 'text/plain',
          buffer: Buffer.from(text),
        })
        await startUpload(page, isEncrypted ? 'encrypted' : 'public')
        await link(page, name).waitFor()
        files.push({ name, text, isEncrypted, isStarred: false, folder: '' })
      },
    },
    createFolder: {
      canStart: () => folders.length < 4,
      run: async () => {
        const name = `folder ${++number}`
        await page.getByRole('button', { name: 'New folder' }).click()
        await page.getByRole('textbox', { name: 'Folder name' }).fill(name)
        await page.getByRole('button', { name: 'Create' }).click()
        await link(page, name).waitFor()
        folders.push(name)
      },
    },
    move: {
      canStart: () => at('').length > 0 && folders.length > 0,
      run: async () => {
        const file = some()
        const folder = random.pick(folders)
        await act(page, file.name, 'Move')
        await page.getByRole('dialog').getByText(folder, { exact: true }).click()
        await page.getByRole('button', { name: `Move into ${folder}` }).click()
        await link(page, file.name).waitFor({ state: 'detached' })
        file.folder = folder
      },
    },
    rename: {
      canStart: () => at('').length > 0,
      run: async () => {
        const file = some()
        const name = `renamed ${++number}.txt`
        await act(page, file.name, 'Rename')
        await page.getByRole('textbox', { name: 'New name' }).fill(name)
        await page.getByRole('button', { name: 'Rename', exact: true }).click()
        await link(page, name).waitFor()
        file.name = name
      },
    },
    star: {
      canStart: () => at('').length > 0,
      run: async () => {
        const file = some()
        const starred = page
          .getByRole('row')
          .filter({ has: page.getByRole('link', { name: file.name, exact: true }) })
          .getByLabel('Starred')
        await act(page, file.name, file.isStarred ? 'Remove star' : 'Star')
        await starred.waitFor({ state: file.isStarred ? 'detached' : 'visible' })
        file.isStarred = !file.isStarred
      },
    },
    trash: {
      canStart: () => at('').length > 0 && trashed.length < 5,
      run: async () => {
        const file = some()
        await act(page, file.name, 'Move to trash')
        await link(page, file.name).waitFor({ state: 'detached' })
        files.splice(files.indexOf(file), 1)
        trashed.push(file)
      },
    },
    restore: {
      canStart: () => trashed.length > 0 && at('').length < maxVisible,
      run: async () => {
        const file = random.pick(trashed)
        await page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: 'Trash' }).click()
        await page.getByRole('button', { name: `Restore ${file.name}` }).click()
        await page.getByRole('button', { name: `Restore ${file.name}` }).waitFor({ state: 'detached' })
        await home()
        await link(page, file.name).waitFor()
        trashed.splice(trashed.indexOf(file), 1)
        files.push(file)
      },
    },
    read: {
      canStart: () => at('').length > 0,
      run: async () => {
        const { name, text } = some()
        await link(page, name).click()
        await page.getByRole('dialog').getByText(text.slice(0, 12)).first().waitFor()
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      },
    },
    search: {
      canStart: () => files.length > 0,
      run: async () => {
        const { name } = random.pick(files)
        await page.getByRole('searchbox').fill(name)
        await link(page, name).waitFor()
        await page.getByRole('searchbox').fill('')
        await page.getByRole('searchbox').press('Escape')
        await home()
      },
    },
    share: {
      canStart: () => at('').some((file) => file.isEncrypted && !shared.has(file)),
      run: async () => {
        const file = random.pick(at('').filter((one) => one.isEncrypted && !shared.has(one)))
        const { name, text } = file
        const cid = await openFile(name)
        await act(page, name, 'Share')
        const address = friend.wallet.accounts[0]?.address ?? ''
        await page.getByRole('dialog', { name: 'Share this file' }).getByLabel('Addresses').fill(address)
        await page
          .getByRole('dialog', { name: 'Share this file' })
          .getByRole('button', { name: /^Share/ })
          .click()
        await finishSharing(page)
        shared.add(file)
        await friend.open(`/open/${cid}`)
        await friend.page.getByText(text.slice(0, 12)).first().waitFor()
        await home()
      },
    },
    link: {
      canStart: () => at('').some(({ isEncrypted }) => isEncrypted),
      run: async () => {
        const { name, text } = random.pick(at('').filter(({ isEncrypted }) => isEncrypted))
        await act(page, name, 'Share')
        await page
          .getByRole('dialog', { name: 'Share this file' })
          .getByRole('button', { name: 'Create a link' })
          .click()
        await page.getByRole('dialog', { name: 'Create a link' }).getByRole('button', { name: 'Create link' }).click()
        const made = page.getByRole('dialog', { name: 'Link ready' })
        await made.getByRole('button', { name: 'Copy link' }).click()
        const url = new URL(String(await page.evaluate('navigator.clipboard.readText()')))
        await made.getByRole('button', { name: 'Done', exact: true }).click()
        await visitor.page.goto('about:blank')
        await visitor.open(`${url.pathname}${url.search}${url.hash}`)
        await visitor.page.getByRole('button', { name: 'Open', exact: true }).click()
        await visitor.page.getByText(text.slice(0, 12)).first().waitFor()
        await home()
      },
    },
    pay: {
      canStart: () => true,
      run: async () => {
        await page.getByRole('link', { name: 'Billing', exact: true }).first().click()
        await page.getByText('Other', { exact: true }).click()
        await page.getByLabel('Amount').fill('64')
        await page.getByLabel('Unit').selectOption('MiB')
        await page.getByText('USDC', { exact: true }).click()
        await page.getByRole('button', { name: 'Review payment' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Continue in wallet' }).click()
        await page.getByText('64 MiB added').first().waitFor()
        await page.getByRole('button', { name: 'Done', exact: true }).click()
        await home()
      },
    },
    secondTab: {
      canStart: () => true,
      run: async () => {
        if (tab !== page) await tab.close()
        tab = await owner.context.newPage()
        tab.setDefaultTimeout(patienceMs)
        await tab.goto('/files')
        const [file] = at('')
        await (file === undefined ? tab.getByRole('button', { name: 'New folder' }) : link(tab, file.name)).waitFor()
      },
    },
    walk: {
      canStart: () => true,
      run: async () => {
        for (const name of ['Activity', 'Shared', 'Names', 'Proofs', 'API keys', 'Settings']) {
          await page.getByRole('link', { name, exact: true }).first().click()
          await page.getByRole('heading', { name, level: 1 }).waitFor()
        }
        await home()
      },
    },
  }

  // Places are shown once something is stored.
  await works['upload']?.run()
  const counts: Record<string, number> = {}
  let warm: Awaited<ReturnType<typeof measure>> | undefined
  for (let step = 0; step < stepCount; step++) {
    if (warm === undefined && step >= stepCount / 4) {
      // The page is reloaded only up to this point, from which its memory is tracked.
      await page.reload()
      await home()
      for (const name of ['walk', 'pay']) await works[name]?.run()
      warm = await measure(owner)
    }
    if (warm === undefined && random.chance(0.1)) {
      await page.reload()
      await home()
    }
    const [name, work] = random.pick(Object.entries(works).filter(([, { canStart }]) => canStart()))
    await work.run().catch((error: unknown) => {
      throw new Error(`"${name}" failed in step ${step}, after ${JSON.stringify(counts)}`, { cause: error })
    })
    counts[name] = (counts[name] ?? 0) + 1
  }
  const end = await measure(owner)
  console.log(`did ${JSON.stringify(counts)}`)
  console.log(`memory ${JSON.stringify({ warm, end })}, ${files.length} files`)

  await page.reload()
  await home()
  for (const { name } of at('')) await link(page, name).waitFor()
  const drive = await openDrive(client)
  const paths = (all: File[]) =>
    all.map(({ name, folder }) => (folder === '' ? `/${name}` : `/${folder}/${name}`)).sort()
  const kept = drive.all().filter(({ kind }) => kind === 'file')
  expect(kept.map(({ path }) => path).sort()).toEqual(paths(files))
  expect(
    kept
      .filter(({ isStarred }) => isStarred)
      .map(({ path }) => path)
      .sort(),
  ).toEqual(paths(files.filter(({ isStarred }) => isStarred)))
  expect(
    drive
      .trash()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(trashed.map(({ name }) => name).sort())
  for (const { name, text, isEncrypted } of files) {
    const item = kept.find((one) => one.name === name)
    if (item?.kind !== 'file') throw new Error(`${name} is not in the drive`)
    const bytes = isEncrypted ? await decryptBytes(client, item.cid) : await downloadBytes(client, item.cid)
    expect([name, Buffer.from(bytes).toString()]).toEqual([name, text])
  }
  expect(end.bytes - (warm?.bytes ?? 0)).toBeLessThan(maxGrowthBytes)
  expect(end.elements).toBeLessThan(2 * (warm?.elements ?? 0) + 1_000)
})

// What the tests of every page share: one network, one browser, and a look at a page in its current state.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect } from 'vitest'
import { isFirefox } from '../../firefox.ts'
import { type ConsolePage, type ConsoleTest, openConsoleTest } from '../console.fixture.ts'
import { findHidden } from '../forced-colours.ts'

/** Limit in ms of a test that checks many states. */
export const longTestMs = 600_000
const wide = { width: 1280, height: 800 }
/** As narrow as 320 px, like a window of 1280 px at 400 % zoom, and 640 px, like one at 200 %. */
export const narrow = { width: 320, height: 640 }
const forms = [
  [wide, 'light'],
  [narrow, 'dark'],
] as const
/** How long a page may take to fit a new size. */
const settleMs = 20_000

/** The console of a test file, and the checks of its tests. */
export type Looks = {
  readonly site: ConsoleTest
  /** Checks the page in its current state, in the ways of this run. */
  look(opened: ConsolePage, state: string): Promise<void>
}

/**
 * Opens the console before the tests of a file, and closes it after them.
 * @param isExhaustive checks each state both wide and light and narrow and dark, with colours in every accent, and with the
 * colours of the system; otherwise in one of the two ways, the same in every run, with colours in both themes
 */
export function openLooks(isExhaustive: boolean): Looks {
  let site: ConsoleTest
  beforeAll(async () => {
    site = await openConsoleTest({ chain: 'local' })
  })
  afterAll(() => site?.[Symbol.asyncDispose]())
  return {
    get site() {
      return site
    },
    look: (opened, state) => lookAt(opened, state, isExhaustive),
  }
}

async function lookAt({ page, checkAccessibility }: ConsolePage, state: string, isExhaustive: boolean): Promise<void> {
  const chosen = isExhaustive ? [0, 1] : [crc32(state) & 1]
  for (const [index, [size, theme]] of forms.entries()) {
    await page.setViewportSize(size)
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
    const where = `${state}, ${size.width} px, ${theme}`
    if (chosen.includes(index)) {
      expect.soft([where, await checkAccessibility({ everyAccent: isExhaustive })]).toEqual([where, []])
    }
    // The page, and the content of dialogs, which must scroll only vertically.
    const beyond =
      "Math.max(0, ...[document.documentElement, ...document.querySelectorAll('[role=dialog] > header + div')].map((one) => one.scrollWidth - one.clientWidth))"
    // Parts that depend on the size are redrawn shortly after it changes; whatever stays too wide is reported below.
    // Each look is a separate evaluation, because a function that waits inside the page would violate the page's policy.
    const settled = expect.poll(() => page.evaluate(beyond), { timeout: settleMs }).toBe(0)
    await settled.catch(() => undefined)
    expect.soft([where, await page.evaluate(beyond)]).toEqual([where, 0])
  }
  await page.setViewportSize(wide)
  // In Firefox, a setting of its profile.
  if (isExhaustive && !isFirefox) expect.soft([state, await findHidden(page)]).toEqual([state, []])
}

/** Opens an address, and waits until its content has loaded. */
export async function visit({ page, open }: ConsolePage, path: string): Promise<void> {
  await open(path)
  await page.getByRole('heading').first().waitFor()
  await expect.poll(() => page.locator('.animate-skeleton').count()).toBe(0)
}

export async function signInAt(opened: ConsolePage, path: string): Promise<string> {
  await opened.open(path)
  await opened.signIn()
  const { apiKey }: { apiKey: string } = JSON.parse(
    await opened.page.evaluate("sessionStorage.getItem('cairn.session')"),
  )
  return apiKey
}

/** A page as the build lists it, from the record that the console itself uses. */
type ListedPage = { path: string; needsWallet: boolean; title?: string; shortcut?: string }

export async function listPages({ network }: ConsoleTest): Promise<ListedPage[]> {
  return JSON.parse(await readFile(join(network.storage.context.config.consoleFolder ?? '', 'pages.json'), 'utf8'))
}

/** Escape closes whatever is open over the page. */
export async function close({ page }: ConsolePage): Promise<void> {
  await page.keyboard.press('Escape')
  await page.locator('[role=dialog],[role=menu]').waitFor({ state: 'detached' })
}

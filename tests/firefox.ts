// Firefox of the system, as another engine for the console's tests. Playwright drives it by WebDriver BiDi.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, firefox, type Locator, type Page } from 'playwright'
import { requireProgram } from './system/require-program.ts'

/** Whether the tests of the console run in Firefox: the ring `firefox`. */
export const isFirefox = process.env['CAIRN_TEST_BROWSER'] === 'firefox'

/** What WebDriver BiDi sets for no page: it belongs to the profile of a browser. */
type FirefoxLook = { theme: 'light' | 'dark'; isPhone: boolean }

/** Starts a browser. `CAIRN_TEST_FIREFOX` names another program than that of the system. */
async function launchFirefox({ theme, isPhone }: FirefoxLook): Promise<Browser> {
  const program = process.env['CAIRN_TEST_FIREFOX'] ?? requireProgram('firefox-esr', 'firefox-esr')
  const folder = await mkdtemp(join(tmpdir(), 'cairn-firefox-'))
  const starter = join(folder, 'firefox')
  const relay = join(import.meta.dirname, 'firefox-relay.mjs')
  await writeFile(starter, `#!/bin/sh\nexec '${process.execPath}' '${relay}' "$@"\n`)
  await chmod(starter, 0o700)
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: starter,
    env: { ...process.env, CAIRN_TEST_FIREFOX_PROGRAM: program },
    firefoxUserPrefs: {
      'ui.prefersReducedMotion': 1,
      'layout.css.prefers-color-scheme.content-override': theme === 'dark' ? 0 : 1,
      // The sum of coarse (1), fine (2) and hover (4).
      'ui.primaryPointerCapabilities': isPhone ? 1 : 6,
      'ui.allPointerCapabilities': isPhone ? 1 : 6,
      // Nothing outside of this machine is looked up.
      'network.dns.localDomains': 'localhost',
      'network.proxy.type': 0,
      'dom.events.testing.asyncClipboard': true,
      // Firefox 153 ends a page in which both the page and the driver read an element of these, as `getByRole` and axe do.
      'accessibility.ARIAElementReflection.enabled': false,
    },
  })
  browser.on('disconnected', () => void rm(folder, { recursive: true, force: true }))
  return browser
}

/** Browsers of one test file, each started for the first page with its look. */
export function createFirefoxes(): AsyncDisposable & { get(look: FirefoxLook): Promise<Browser> } {
  const started = new Map<string, Promise<Browser>>()
  return {
    get: (look) => {
      const key = JSON.stringify(look)
      const browser = started.get(key) ?? launchFirefox(look)
      started.set(key, browser)
      return browser
    },
    [Symbol.asyncDispose]: async () => {
      for (const browser of started.values()) await (await browser).close()
    },
  }
}

/**
 * Makes `fill` type. By WebDriver BiDi Playwright sets the value from the page's own scripts, where React takes it for its own and
 * reports no change.
 */
export function typeInsteadOfFill(page: Page): void {
  const locator: Locator = Object.getPrototypeOf(page.locator('html'))
  locator.fill = async function (value) {
    await this.focus()
    // By the keyboard, not by the locator: the name of some fields is their value.
    const { keyboard } = this.page()
    await keyboard.press('ControlOrMeta+a')
    await keyboard.press('Delete')
    await keyboard.type(value)
  }
}

/** What Firefox logs of a request that Chromium reports with a code of its own. */
export const failedRequest = /^Cross-Origin Request Blocked: .*\(Reason: CORS request did not succeed\)/

/** What Firefox reports of a part of the page that was still loading when the page was left. */
export const leftWhileLoading = /^TypeError: error loading dynamically imported module: /

/** What Firefox logs when a player leaves a range for another one before the service worker has answered. */
export const leftRange = /^Failed to load ‘’\. A ServiceWorker intercepted the request/

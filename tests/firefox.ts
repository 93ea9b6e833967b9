// The system's Firefox, as another engine for the console's tests. Playwright drives it through WebDriver BiDi.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, firefox, type Locator, type Page } from 'playwright'
import { requireProgram } from './system/require-program.ts'

/** Whether the tests of the console run in Firefox: the ring `firefox`. */
export const isFirefox = process.env['CAIRN_TEST_BROWSER'] === 'firefox'

/** Settings that WebDriver BiDi cannot set per page: they belong to the profile of a browser. */
type FirefoxLook = { theme: 'light' | 'dark'; isPhone: boolean }

/** Starts a browser. `CAIRN_TEST_FIREFOX` selects another program than the system's. */
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
      // Looks up nothing outside this machine.
      'network.dns.localDomains': 'localhost',
      'network.proxy.type': 0,
      'dom.events.testing.asyncClipboard': true,
      // Firefox 153 crashes a page if both the page and the driver read an element of these, as `getByRole` and axe do.
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
 * Makes `fill` type. Through WebDriver BiDi, Playwright sets the value from a page script. React mistakes this for its own change
 * and does not report it.
 */
export function typeInsteadOfFill(page: Page): void {
  const locator: Locator = Object.getPrototypeOf(page.locator('html'))
  locator.fill = async function (value) {
    await this.focus()
    // Through the keyboard, not the locator, because the name of some fields is their value.
    const { keyboard } = this.page()
    await keyboard.press('ControlOrMeta+a')
    await keyboard.press('Delete')
    await keyboard.type(value)
  }
}

/** Firefox's log line for a request that Chromium reports with a separate code. */
export const failedRequest = /^Cross-Origin Request Blocked: .*\(Reason: CORS request did not succeed\)/

/** Firefox's report of a part of the page that was still loading when the page was left. */
export const leftWhileLoading = /^TypeError: error loading dynamically imported module: /

/** Firefox's log line when a player abandons a range for another one before the service worker has responded. */
export const leftRange = /^Failed to load ‘’\. A ServiceWorker intercepted the request/

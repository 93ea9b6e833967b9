// The console in a real browser, on its own network, with a wallet whose keys stay in this process.
import { buildConsole } from '@cairn/local'
import type { Browser, BrowserContext, Page } from 'playwright'
import type { PrivateKeyAccount } from 'viem/accounts'
import { launchChromium, leaveOutHandles, type Screen } from '../chromium.ts'
import { createFirefoxes, failedRequest, isFirefox, leftWhileLoading, typeInsteadOfFill } from '../firefox.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { ownChromium } from '../has-chromium.ts'
import { findFaults } from './accessibility.ts'
import { recordContext } from './describe-page.ts'
import { createTestWallet, type TestWallet } from './test-wallet.ts'

/** Longest wait for what a page should show, in ms. */
const waitMs = 60_000

/** A page of the console with its wallet, and everything that went wrong in it. */
export type ConsolePage = {
  page: Page
  browser: Browser
  context: BrowserContext
  wallet: TestWallet
  /** Console errors, policy reports, and requests to hosts outside the network's profile. Empty when all is well. */
  problems: string[]
  /** The test breaks something itself, so the browser's reports of it are not problems. */
  expectProblem(pattern: RegExp): void
  /** Opens an address of the console. */
  open(path: string): Promise<void>
  /** Connects the wallet and signs in, from any page. */
  signIn(): Promise<void>
  /** Findings of axe for WCAG 2.2 A and AA and best practice, colours in both themes or all accents, as short texts. */
  checkAccessibility(options?: { everyAccent?: boolean }): Promise<string[]>
  /** What the pages of this context show, wait for and were refused, as text for a failing test. */
  describe(): Promise<string>
}

export type Console = AsyncDisposable & {
  network: TestNetwork
  /** A separate browser context with a wallet of this many accounts, or of these; `0` for a browser without a wallet. */
  newPage(options?: {
    accounts?: number | readonly PrivateKeyAccount[]
    width?: number
    height?: number
    theme?: 'light' | 'dark'
    /** A touch screen. */
    isPhone?: boolean
    /** The first language of the browser. */
    locale?: string
  }): Promise<ConsolePage>
}

/** Starts a network that serves the console, and a browser. */
export async function openConsole({
  chain = 'none',
  providers = 0,
  environment = {},
  executablePath = ownChromium,
  screen,
}: {
  chain?: 'local' | 'none'
  providers?: number
  /** Further settings of the services. */
  environment?: Record<string, string>
  /** Another browser than the packaged one. */
  executablePath?: string | undefined
  /** For a browser with windows. */
  screen?: Screen
} = {}): Promise<Console> {
  await using stack = new AsyncDisposableStack()
  // An existing build may be given, so that several files test the same one.
  const folder = process.env['CAIRN_TEST_CONSOLE'] || (await buildConsole())
  if (folder === undefined) throw new Error('the console is not built, and the bundler is not installed')
  const settings = { CAIRN_CONSOLE_FOLDER: folder, ...environment }
  const network = stack.use(await createTestNetwork(settings, chain, 20, providers))
  const browserFor = isFirefox ? stack.use(createFirefoxes()).get : await startChromium(stack, executablePath, screen)
  const running = stack.move()
  const colours = new Set<string>()
  return {
    network,
    newPage: async (options = {}) => {
      const browser = await browserFor({ theme: options.theme ?? 'light', isPhone: options.isPhone ?? false })
      const opened = await newPage(browser, network, colours, options)
      if (executablePath === undefined && !isFirefox) await leaveOutHandles(opened.context)
      return opened
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** One browser for all pages, each of which gets its own look. */
async function startChromium(
  stack: AsyncDisposableStack,
  executablePath: string | undefined,
  screen: Screen | undefined,
): Promise<() => Promise<Browser>> {
  const browser = await launchChromium(executablePath, screen)
  stack.defer(() => browser.close())
  return async () => browser
}

async function newPage(
  browser: Browser,
  network: TestNetwork,
  colours: Set<string>,
  {
    accounts = 1,
    width = 1280,
    height = 800,
    theme = 'light',
    isPhone = false,
    locale = 'en-US',
  }: NonNullable<Parameters<Console['newPage']>[0]> = {},
): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    baseURL: network.profile.api,
    locale,
    reducedMotion: 'reduce',
    ...(isFirefox ? {} : { isMobile: isPhone, hasTouch: isPhone }),
  })
  if (!isFirefox) {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: network.profile.api })
  }
  const describe = recordContext(context)
  const wallet = await createTestWallet(context, accounts, network.profile.chain)
  const page = await context.newPage()
  if (isFirefox) typeInsteadOfFill(page)
  page.setDefaultTimeout(waitMs)
  const problems: string[] = []
  // The browser itself reports 4xx responses as errors; the page shows what they are.
  const expected = [/^Failed to load resource: the server responded with a status of 4\d\d/]
  if (isFirefox) expected.push(leftWhileLoading)
  const isExpected = (text: string) => expected.some((pattern) => pattern.test(text))
  const note = (text: string) => {
    if (!isExpected(text)) problems.push(text)
  }
  // Firefox reports the opening of a WebSocket as a request by HTTP.
  const hosts = JSON.stringify(network.profile).match(/(?:http|ws)s?:\/\/[^"/]+/g) ?? []
  const ours = new Set(hosts.map((host) => host.replace(/^ws/, 'http')))
  context.on('console', (message) => {
    if (message.type() === 'error') note(`${message.text()}${placeOf(message.location())}`)
  })
  context.on('weberror', (error) => {
    const { stack, message } = error.error()
    note(`${stack || message}${placeOf(error.location())}`)
  })
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^https?:$/.test(protocol) && !ours.has(origin)) note(`foreign request: ${request.url()}`)
  })
  return {
    page,
    browser,
    context,
    wallet,
    problems,
    expectProblem: (pattern) => {
      expected.push(pattern)
      if (isFirefox && /ERR_|Failed to load/.test(pattern.source)) expected.push(failedRequest)
      problems.splice(0, problems.length, ...problems.filter((text) => !isExpected(text)))
    },
    open: async (path) => {
      await page.goto(path)
    },
    signIn: async () => {
      await page.getByRole('button', { name: 'Connect wallet' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
      await page.getByRole('button', { name: /^Account 0x/ }).waitFor()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    },
    checkAccessibility: (options) => findFaults(page, colours, options),
    describe,
  }
}

/** The source of a page error, for its text, because Firefox has errors without a stack. */
function placeOf({ url, line, column }: { url: string; line: number; column: number }): string {
  // Lines and columns begin at 0.
  return url === '' ? '' : ` (${url}:${line + 1}:${column + 1})`
}

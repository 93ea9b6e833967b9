// The browser of all tests: the Chromium build in the lockfile, with its own libraries and fonts, so that a page
// is drawn the same on every machine. Nothing of the system is used.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, chromium } from 'playwright'
import { hasChromium, ownChromium } from './has-chromium.ts'

const require = createRequire(import.meta.url)
const cache = resolve(import.meta.dirname, '../.cache')

/** The display for its windows, and the initial folder of its dialogs. */
export type Screen = {
  /** Name of an X server's display. */
  display: string
  home: string
}

/**
 * Starts the browser. It cannot reach the network outside this machine.
 * @param executablePath of a browser other than the package's
 * @param screen for a browser with windows
 */
export async function launchChromium(executablePath = ownChromium, screen?: Screen): Promise<Browser> {
  if (executablePath === undefined && !hasChromium) {
    throw new Error(
      `There is no packaged Chromium for ${process.platform}-${process.arch}. Set CAIRN_TEST_CHROMIUM to the path of one.`,
    )
  }
  const program = executablePath === undefined ? await unpack() : { executablePath, env: {} }
  return chromium.launch({
    executablePath: program.executablePath,
    env: {
      ...process.env,
      ...program.env,
      ...(screen === undefined ? {} : { DISPLAY: screen.display, HOME: screen.home }),
    },
    headless: screen === undefined,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
    ],
  })
}

/**
 * The packaged build is the headless shell, which crashes when a page reads a stored file handle. Without the function
 * that provides handles, it behaves like browsers that have none; tests/system covers those that do.
 */
export async function leaveOutHandles(context: BrowserContext): Promise<void> {
  await context.addInitScript('delete DataTransferItem.prototype.getAsFileSystemHandle')
}

type Program = { executablePath: string; env: Record<string, string> }

/** Unpacks the package once per version (5 s), into a folder that is complete as soon as it has its name. */
async function unpack(): Promise<Program> {
  const entry = require.resolve('@sparticuz/chromium')
  const manifest: { version: string } = JSON.parse(await readFile(join(dirname(entry), '../package.json'), 'utf8'))
  const folder = join(cache, `chromium-${manifest.version}`)
  if (!(await isThere(folder))) {
    await mkdir(cache, { recursive: true })
    const fresh = await mkdtemp(join(cache, 'chromium-'))
    try {
      await inflate(join(dirname(entry), '../bin'), fresh)
      // Another run may have been faster; its folder works as well.
      await rename(fresh, folder).catch(async (error: unknown) => {
        if (!(await isThere(folder))) throw error
      })
    } finally {
      await rm(fresh, { recursive: true, force: true })
    }
  }
  const fonts = join(folder, 'fonts.conf')
  // Written every time, because it contains the path of the folder, and a checkout may have been moved.
  await writeFile(
    fonts,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`,
  )
  return {
    executablePath: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: fonts },
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

/** Uses the package's own code, in a separate process, because it unpacks into the folder for temporary files. */
async function inflate(packed: string, folder: string): Promise<void> {
  const archives = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((name) => join(packed, name))
  const program = `import { inflate } from '@sparticuz/chromium'
await Promise.all(${JSON.stringify(archives)}.map(inflate))`
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    env: { TMPDIR: folder },
  })
}

// A page that uploads over a line that can be slowed and cut, and the traffic on it.
import { createHash } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { UploadInfo } from '@cairn/protocol'
import type { Page, Request } from 'playwright'
import { expect } from 'vitest'
import type { ConsolePage, ConsoleTest } from './console.fixture.ts'
import { startUpload } from './start-upload.ts'

/** Longest wait for bytes over a slow line: enough for a busy machine, not a measurement. */
const patience = { timeout: 180_000 }

/** Runs in the page: returns the CIDs of its stored unfinished uploads, by upload that has started at the service. */
export const listKeptStates = `new Promise((done, fail) => {
  const opening = indexedDB.open('cairn-uploads')
  opening.onerror = () => fail(opening.error)
  opening.onsuccess = () => {
    const rows = opening.result.transaction('uploads').objectStore('uploads').getAll()
    rows.onsuccess = () => {
      opening.result.close()
      done(rows.result.flatMap(({ state }) => (state === undefined ? [] : [state.cids])))
    }
  }
})`

/** Requests with bytes that the service is reading: it runs in this process. */
const bringing = new Set<IncomingMessage>()
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
  if (request.method !== 'PATCH') return
  bringing.add(request)
  response.once('close', () => bringing.delete(request))
})

export type Line = {
  /** Where the bytes of each request start within the upload. */
  offsets: number[]
  /** Sets the speed of the line from now on; -1 for unlimited. */
  slow: (bytesPerSecond: number) => Promise<void>
  /** Cuts or restores it. */
  cut: (isCut: boolean) => Promise<void>
  /** Uploads of this account that have started at the service. */
  openUploads: () => Promise<UploadInfo[]>
  /** Waits until the service has this many bytes of the first one, and the page has stored what a reload needs. */
  untilStored: (bytes: number) => Promise<void>
}

export type UploadPage = ConsolePage & { line: Line }

/** A signed-in page with an empty list of files. */
export async function openUploadPage(
  site: ConsoleTest,
  options?: Parameters<ConsoleTest['newPage']>[0],
): Promise<UploadPage> {
  const { api } = site.network.profile
  const opened = await site.newPage(options)
  const { page, context } = opened
  // Pages with running work ask before they are left.
  page.on('dialog', (dialog) => void dialog.accept())
  let key = ''
  const offsets: number[] = []
  page.on('request', (request: Request) => {
    const { authorization } = request.headers()
    if (authorization !== undefined && request.url().startsWith(api)) key = authorization
    if (request.method() !== 'PATCH' || !request.url().includes('/api/uploads/')) return
    offsets.push(Number(request.headers()['upload-offset']))
  })
  await opened.open('/files')
  await opened.signIn()
  await page.getByText('Nothing here yet').waitFor()
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const openUploads = async () => {
    const answer = await fetch(`${api}/api/uploads`, { headers: { authorization: key } })
    const { uploads } = (await answer.json()) as { uploads: UploadInfo[] }
    return uploads
  }
  return {
    ...opened,
    line: {
      offsets,
      openUploads,
      untilStored: async (bytes) => {
        await expect.poll(async () => (await openUploads())[0]?.offsetBytes, patience).toBeGreaterThanOrEqual(bytes)
        // The page sends it while storing it.
        await expect.poll(() => page.evaluate(listKeptStates), patience).not.toEqual([])
      },
      slow: async (uploadThroughput) => {
        const conditions = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput }
        await session.send('Network.emulateNetworkConditions', conditions)
      },
      cut: async (isCut) => {
        await context.setOffline(isCut)
        if (isCut) for (const { socket } of bringing) socket.destroy()
      },
    },
  }
}

export const panelOf = (page: Page) => page.getByRole('region', { name: 'Transfers' })
export const rowOf = (page: Page, name: string) => panelOf(page).getByRole('listitem').filter({ hasText: name })

export async function start(page: Page, paths: string | string[]): Promise<void> {
  await page.keyboard.press('u')
  await page.setInputFiles('input[data-upload=files]', paths)
  await startUpload(page, 'public')
}

/** Drops a file on the page, as a file manager does, and starts its upload. */
export async function startDropped({ page, context }: UploadPage, path: string): Promise<void> {
  const session = await context.newCDPSession(page)
  const data = { items: [], files: [path], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 600, y: 400, data })
    if (type === 'dragOver') await page.getByText('Drop to upload').waitFor()
  }
  await startUpload(page, 'public')
}

export async function expectStored(site: ConsoleTest, page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const cell = page
    .getByRole('row')
    .filter({ hasText: name })
    .getByRole('button', { name: /^Copy CID/ })
  await cell.waitFor(patience)
  const cid = /baf\w{30,}/.exec((await cell.textContent()) ?? '')?.[0] ?? ''
  const read = new Uint8Array(await (await fetch(`${site.network.profile.gateway}/ipfs/${cid}`)).arrayBuffer())
  const sha = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
  expect(sha(read)).toBe(sha(bytes))
}

/**
 * Checks that the upload resumed where the service stood, and that nothing before `bytes` was sent twice. The number of requests
 * depends on when the service notices that the first one is gone: until then it rejects another.
 */
export function expectContinued({ offsets }: Line, bytes: number): void {
  const [first, ...more] = offsets
  expect(first).toBe(0)
  expect(more.length).toBeGreaterThan(0)
  expect(Math.min(...more)).toBeGreaterThanOrEqual(bytes)
}

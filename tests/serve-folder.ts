import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

const types: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html' }

/** Serves the files of a built page on a free port. */
export async function serveFolder(folder: string): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const path = join(folder, request.url?.endsWith('/') ? `${request.url}index.html` : (request.url ?? ''))
    const bytes = await readFile(path).catch(() => undefined)
    response
      .writeHead(bytes === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' })
      .end(bytes)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

// What all files of a run share. Each part starts when the first file requests it, and stops with the run.
import { createServer } from 'node:http'
import { type PostgresServer, startPostgresServer } from '@cairn/service/postgres-server-fixture'
import { bundleCli } from './bundle-cli.ts'
import { hasChromium } from './has-chromium.ts'
import { createMemoryFolder } from './memory-folder.ts'

/** Once per run, before the first file. @returns the teardown */
export async function setup(): Promise<() => Promise<void>> {
  if (!hasChromium) {
    console.warn(
      `Tests with a browser are left out: there is no packaged Chromium for ${process.platform}-${process.arch}. Set CAIRN_TEST_CHROMIUM to the path of one to run them.`,
    )
  }
  const memory = createMemoryFolder()
  if (memory !== undefined) process.env['TMPDIR'] = memory.path
  let postgres: Promise<PostgresServer> | undefined
  let cli: Promise<string> | undefined
  const find = (path: string | undefined): Promise<string> => {
    if (path === '/cli') {
      cli ??= bundleCli()
      return cli
    }
    postgres ??= startPostgresServer()
    return postgres.then(({ url }) => url)
  }
  const broker = createServer((request, response) => {
    find(request.url).then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    )
  })
  await new Promise<void>((done) => broker.listen(0, '127.0.0.1', done))
  const address = broker.address()
  if (typeof address !== 'object' || address === null) throw new Error('the run has no port')
  // Workers inherit the environment of this process.
  process.env['CAIRN_TEST_POSTGRES'] = `http://127.0.0.1:${address.port}/postgres`
  process.env['CAIRN_TEST_CLI'] = `http://127.0.0.1:${address.port}/cli`
  return async () => {
    broker.closeAllConnections()
    await new Promise((done) => broker.close(done))
    // A service that did not start has already reported the error to the files that requested it.
    await (await postgres?.catch(() => undefined))?.stop()
    memory?.remove()
  }
}

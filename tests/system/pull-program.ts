// A provider that reports what it has of a piece, and fetches it if a URL is given: `pull-program.ts <folder> <source>
// <piece> [url]`.
import { readProviderConfig, startProvider } from '@cairn/provider'

const [home = '', source = '', piece = '', url = ''] = process.argv.slice(2)
const key = 'k'.repeat(32)
const provider = await startProvider(
  readProviderConfig({
    CAIRN_PROVIDER_HOME: home,
    CAIRN_PROVIDER_PORT: '0',
    CAIRN_PROVIDER_SECRET: 'ab'.repeat(32),
    CAIRN_PROVIDER_KEY: key,
    CAIRN_PROVIDER_SOURCES: source,
    CAIRN_PROVIDER_SCRUB_BYTES_PER_SECOND: '0',
    CAIRN_LOG_LEVEL: 'silent',
    CAIRN_STOP_TIMEOUT_SECONDS: '0',
  }),
)
const state = async (): Promise<string> => {
  const status: unknown = await (await fetch(`${provider.url}/pieces/${piece}`)).json()
  return typeof status === 'object' && status !== null && 'state' in status ? String(status.state) : 'none'
}
process.stdout.write(`was ${await state()}\n`)
if (url !== '') {
  const answer = await fetch(`${provider.url}/pieces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ piece, url }),
  })
  if (answer.status === 202) process.stdout.write('taken\n')
  for (let now = ''; now !== 'kept' && now !== 'failed'; ) now = await state()
  process.stdout.write(`${await state()}\n`)
}
await provider[Symbol.asyncDispose]()

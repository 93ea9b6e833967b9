// Starts Firefox for Playwright and relays WebDriver BiDi between them. Playwright 1.65 sets media features that Firefox 153
// does not support: the relay answers these calls, and profile settings replace them.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { WebSocket, WebSocketServer } from 'ws'

const ignored = new Set(['emulation.setMediaFeaturesOverride'])
const firefox = spawn(process.env.CAIRN_TEST_FIREFOX_PROGRAM, process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
})
const end = () => firefox.kill()
process.on('SIGTERM', end)
process.on('SIGINT', end)
firefox.on('exit', (code) => process.exit(code ?? 1))

for await (const line of createInterface({ input: firefox.stderr })) {
  const url = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line)?.[1]
  process.stderr.write(`${url === undefined ? line : `WebDriver BiDi listening on ${await relay(url)}`}\n`)
}

function relay(url) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  server.on('connection', (client, request) => {
    const browser = new WebSocket(`${url}${request.url}`, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 })
    const early = []
    const toBrowser = (text) => (browser.readyState === WebSocket.OPEN ? browser.send(text) : early.push(text))
    browser.on('open', () => {
      for (const text of early) browser.send(text)
    })
    browser.on('message', (data) => client.send(data.toString()))
    client.on('message', (data) => {
      const text = data.toString()
      const { id, method } = JSON.parse(text)
      if (ignored.has(method)) client.send(JSON.stringify({ type: 'success', id, result: {} }))
      else toBrowser(text)
    })
    browser.on('close', () => client.close())
    client.on('close', () => browser.close())
  })
  return new Promise((done) => server.on('listening', () => done(`ws://127.0.0.1:${server.address().port}`)))
}

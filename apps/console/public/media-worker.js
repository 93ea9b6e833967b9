// Answers the requests of players of encrypted files with bytes that the page decrypts. It has no key, and stores nothing: each
// request goes to the page that made it. The page registers it for the first player and removes it with the last one.
const path = '/decrypted/'
const players = ['audio', 'video']

addEventListener('install', (event) => {
  // Browsers that know routes do not even start the worker for other requests.
  const elsewhere = { condition: { not: { urlPattern: { pathname: `${path}*` } } }, source: 'network' }
  event.waitUntil(Promise.resolve(event.addRoutes?.(elsewhere)).catch(() => undefined))
  skipWaiting()
})
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
// A page that was reloaded past this worker asks for it again.
addEventListener('message', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url)
  if (origin === location.origin && pathname.startsWith(path)) event.respondWith(answer(event, pathname))
})

async function answer({ clientId, request }, pathname) {
  // Nothing but a player receives decrypted bytes, whatever page asks.
  const page = players.includes(request.destination) ? await clients.get(clientId) : undefined
  if (page === undefined) return new Response(null, { status: 404 })
  const { port1: port, port2 } = new MessageChannel()
  const next = () =>
    new Promise((resolve) => {
      port.onmessage = ({ data }) => resolve(data)
    })
  const head = next()
  page.postMessage({ id: pathname.slice(path.length), range: request.headers.get('range') }, [port2])
  const { status, headers } = await head
  if (status >= 400) return new Response(null, { status, headers })
  const body = new ReadableStream(
    {
      async pull(controller) {
        const piece = next()
        port.postMessage('next')
        const { kind, bytes } = await piece
        if (kind === 'bytes') controller.enqueue(bytes)
        else if (kind === 'end') controller.close()
        else controller.error(new TypeError('The file cannot be read'))
      },
      cancel: () => port.postMessage('cancel'),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { status, headers })
}

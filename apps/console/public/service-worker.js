// Takes what other apps share with the installed console, and nothing else: its scope is this one path, so no request of a
// page passes through it. The page finds the files in the cache after the user has signed in (upload/take-shared.ts).
const cacheName = 'cairn-shared'
const target = '/share-target'

addEventListener('install', () => skipWaiting())
addEventListener('fetch', (event) => {
  const { method, url } = event.request
  if (method === 'POST' && new URL(url).pathname === target) event.respondWith(keep(event.request))
})

async function keep(request) {
  const form = await request.formData()
  const files = form.getAll('files').filter((file) => file instanceof File)
  const text = ['title', 'text', 'url'].flatMap((name) => form.get(name) || []).join('\n')
  if (text !== '') files.push(new File([text], 'shared.txt', { type: 'text/plain' }))
  const cache = await caches.open(cacheName)
  for (const file of files) {
    const headers = { 'content-type': file.type, 'x-name': encodeURIComponent(file.name) }
    await cache.put(`${target}/${crypto.randomUUID()}`, new Response(file, { headers }))
  }
  return Response.redirect('/files', 303)
}

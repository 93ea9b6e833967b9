import { CairnError, type NetworkProfile } from '@cairn/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ConsoleFile, readConsoleFiles } from './console-files.ts'
import { readPagePaths } from './console-pages.ts'
import { consolePolicy } from './console-policy.ts'

/** A marker file of a console built without the WalletConnect client. */
export const withoutWalletConnectFile = 'without-wallet-connect.txt'

/**
 * Serves a built console: its page at each of its routes, with status 404 also to browsers that open another address, and its
 * assets by name.
 * @param options `needsWalletConnect`: the operator offers wallets on other devices
 * @throws CairnError INVALID_CONFIGURATION when the folder holds none, or one that lacks what it needs
 */
export async function registerConsoleRoutes(
  app: FastifyInstance,
  folder: string,
  profile: () => NetworkProfile,
  { needsWalletConnect }: { needsWalletConnect: boolean },
): Promise<void> {
  const files = await readConsoleFiles(folder)
  if (needsWalletConnect && files.has(`/${withoutWalletConnectFile}`)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: 'CAIRN_WALLETCONNECT_PROJECT_ID is set, but the console was built without WalletConnect',
      hint: 'Run npm run add -- wallet-connect, then restart, or rebuild the console with npm run build.',
    })
  }
  const page = files.get('/index.html')
  const paths = readPagePaths(files, folder)
  let policy: string | undefined
  const policyNow = () => {
    policy ??= consolePolicy(profile())
    return policy
  }
  for (const [path, file] of files) {
    if (file === page) continue
    if (/\.worker-[^/]*\.js$/.test(path)) {
      // A worker script carries the policy of its worker. The addresses in it may change, so it is revalidated each
      // time.
      const worker = { ...file, isImmutable: false }
      app.get(path, (request, reply) => sendFile(request, reply.header('content-security-policy', policyNow()), worker))
    } else app.get(path, (request, reply) => sendFile(request, reply, file))
  }
  if (page === undefined) return
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({
      'content-security-policy': policyNow(),
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
    })
    return sendFile(request, reply, page)
  }
  for (const path of paths) app.get(path, sendPage)
  // People who mistyped an address get the page, which says so and leads back; programs get the error.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404 || !isOpenedByPerson(app, request)) return
    sendPage(request, reply.status(404))
    return reply
  })
}

/** Paths of programs, also for people who open them. */
const ofPrograms = /^\/(?:api|ipfs|ipns|assets|\.well-known)(?:\/|$)/

/** Returns whether a browser opens an unknown address as a page: only then it asks for HTML by name. */
function isOpenedByPerson(app: FastifyInstance, { method, url, headers }: FastifyRequest): boolean {
  const path = url.split('?')[0] ?? '/'
  if (method !== 'GET' || ofPrograms.test(path) || !/\btext\/html\b/.test(headers.accept ?? '')) return false
  // A call with another method.
  return (['POST', 'PUT', 'PATCH', 'DELETE'] as const).every(
    (other) => app.findRoute({ method: other, url: path }) === null,
  )
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { type, etag, isImmutable, bodies }: ConsoleFile) {
  reply.headers({
    'content-type': type,
    etag,
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': 'same-origin',
    vary: 'Accept-Encoding, Origin',
  })
  // A 404 is always sent in full.
  if (reply.statusCode === 404) reply.headers({ 'cache-control': 'no-store' }).removeHeader('etag')
  const known =
    reply.statusCode === 404
      ? undefined
      : request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known?.includes(etag)) return reply.status(304).send()
  const accepted = acceptedEncodings(request.headers['accept-encoding'])
  for (const encoding of ['br', 'gzip'] as const) {
    const body = bodies[encoding]
    if (body !== undefined && accepted.has(encoding)) return reply.header('content-encoding', encoding).send(body)
  }
  return reply.send(bodies.identity)
}

/**
 * Returns the codings that a client accepts; a weight of 0 rejects one. @see
 * https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
 */
function acceptedEncodings(header: string | string[] | undefined): Set<string> {
  const accepted = new Set<string>()
  for (const part of [header ?? []].flat().join(',').split(',')) {
    const [name = '', weight = ''] = part.split(';').map((piece) => piece.trim().toLowerCase())
    if (!/^q=0(?:\.0*)?$/.test(weight)) accepted.add(name)
  }
  return accepted
}

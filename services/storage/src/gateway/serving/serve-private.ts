import { CairnError } from '@cairn/protocol'
import type { Answer, ContentRequest, Gateway } from '../answer.ts'
import type { ResponseFormat } from '../requests/response-format.ts'

/** Keeps caches from storing the answer, and pages from sending the URL to other sites. */
const privateHeaders = { 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' }

/**
 * Serves a path from the private upload that the query has a signed link to, if it has one, and from public content
 * otherwise. Private blocks never come from or enter what requests share: the caches of nodes,
 * answers and pictures.
 * @param serve reads from the gateway that it gets
 * @throws CairnError NOT_ACCEPTABLE for a CAR through a link to a path: its first blocks list the folders above
 */
export async function servePrivately(
  gateway: Gateway,
  request: ContentRequest,
  format: ResponseFormat | undefined,
  serve: (gateway: Gateway) => Promise<Answer>,
): Promise<Answer> {
  // A signature is for a CID, not for what a name resolves to.
  const link = request.path.mount === undefined ? await gateway.links.find(request.query, request.path) : undefined
  if (link === undefined) return serve(gateway)
  if (format === 'car' && !link.isWhole) {
    throw new CairnError('NOT_ACCEPTABLE', {
      message: 'A link to a path cannot open a CAR: its blocks list the folders above',
      hint: 'Request the file itself, or sign a link to the root.',
    })
  }
  const answer = await serve({ ...gateway, source: gateway.openPrivate(link.uploadId), isPrivate: true })
  const { 'x-ipfs-roots': _foldersAbove, ...headers } = answer.headers
  return { ...answer, headers: { ...headers, ...privateHeaders }, isPrivate: true }
}

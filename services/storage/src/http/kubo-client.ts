/** Query parameters that only Kubo's own clients send. */
const kuboParameters = ['stream-channels', 'progress', 'pin-roots', 'stats', 'silent']
const kuboAgent = /^(?:kubo|go-ipfs|ipfs-cluster|boxo)/i
/** kubo-rpc-client sends no other distinctive sign when it imports a CAR: 29 dashes and a nanoid. */
const kuboBoundary = /boundary=-{29}[\w-]{21}$/

/**
 * Whether a request comes from one of Kubo's clients, which expect JSON lines, escaped names and Kubo's errors, and
 * default to CID version 0. Published clients of the peer send none of these signs.
 */
export function isKuboClient(
  query: Readonly<Record<string, unknown>>,
  headers: { 'user-agent'?: string | undefined; 'content-type'?: string | undefined },
): boolean {
  return (
    kuboParameters.some((name) => query[name] !== undefined) ||
    kuboAgent.test(headers['user-agent'] ?? '') ||
    kuboBoundary.test(headers['content-type'] ?? '')
  )
}

/** The query as parsed by the framework: texts, and lists of texts. */
export function readOptions(query: unknown): Readonly<Record<string, unknown>> {
  return typeof query === 'object' && query !== null ? { ...query } : {}
}

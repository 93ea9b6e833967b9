import { CairnError } from '@cairn/protocol'

/**
 * Returns the token of an Authorization header.
 * @param hint what to send, for keys other than API keys
 * @throws CairnError UNAUTHENTICATED
 */
export function readBearer(header: string | undefined, hint?: string): string {
  const token = /^Bearer +(\S{1,4096}) *$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw new CairnError('UNAUTHENTICATED', hint === undefined ? {} : { hint })
  return token
}

import { CairnError } from '@cairn/protocol'

/**
 * Returns the token of an Authorization header.
 * @throws CairnError UNAUTHENTICATED
 */
export function readBearer(header: string | undefined): string {
  const token = /^Bearer +(\S{1,4096}) *$/i.exec(header ?? '')?.[1]
  if (token === undefined) throw new CairnError('UNAUTHENTICATED')
  return token
}

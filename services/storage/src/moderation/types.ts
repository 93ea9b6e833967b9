import type { CID } from 'multiformats/cid'
import type { RequestedName } from '../requested-name.ts'

/** The rules of all lists. */
export type Denylist = {
  /** Number of rules. */
  readonly size: number
  /** Grows with each change of the rules. */
  readonly changes: number
  /** Whether content is denied. */
  denies(cid: CID): boolean
  /** @throws CairnError CONTENT_DENIED, CONTENT_DENIED_BY_LAW */
  requireContent(cid: CID, segments?: readonly string[]): void
  /** @throws CairnError CONTENT_DENIED, CONTENT_DENIED_BY_LAW */
  requireName(name: RequestedName, segments: readonly string[]): void
}

import { CairnError } from '@cairn/protocol'
import type { BlockSource } from '@cairn/unixfs'
import type { PackStore, PackWriter } from '../packs/packs.ts'
import { createRuleSet, type DenySubject, type RuleSet } from './match-rules.ts'
import type { Denylist } from './types.ts'

export type { Denylist } from './types.ts'

/** A denylist whose rules can be replaced as a whole at any time. */
export type ReplaceableDenylist = Denylist & { replace(rules: RuleSet): void }

/**
 * Creates a denylist without rules.
 * @param reportAddress contact for objections, shown in the response
 */
export function createDenylist(reportAddress: string | undefined): ReplaceableDenylist {
  let rules = createRuleSet([])
  let changes = 0
  const require = (subject: DenySubject): void => {
    const status = rules.find(subject)
    if (status === undefined) return
    throw new CairnError(status === 451 ? 'CONTENT_DENIED_BY_LAW' : 'CONTENT_DENIED', {
      ...(reportAddress === undefined
        ? {}
        : { hint: `To object, or to report other content, write to ${reportAddress}.`, details: { reportAddress } }),
    })
  }
  return {
    get size() {
      return rules.size
    },
    get changes() {
      return changes
    },
    replace(next) {
      rules = next
      changes++
    },
    denies: (cid) => rules.find({ kind: 'content', cid, segments: [] }) !== undefined,
    requireContent(cid, segments = []) {
      if (rules.size > 0) require({ kind: 'content', cid, segments })
    },
    requireName(name, segments) {
      if (rules.size === 0) return
      if (name.kind === 'dns') require({ kind: 'domain', host: name.host, segments })
      else require({ kind: 'name', name: name.name, segments })
    },
  }
}

/** Wraps a block source, and rejects reads of denied blocks. */
export function guardSource(source: BlockSource, denylist: Denylist): BlockSource {
  const { prefetch } = source
  return {
    get(cid, options) {
      denylist.requireContent(cid)
      return source.get(cid, options)
    },
    ...(prefetch === undefined
      ? {}
      : { prefetch: (cids: Parameters<typeof prefetch>[0]) => prefetch.call(source, cids) }),
  }
}

/** Wraps packs, and rejects reads of denied blocks. */
export function guardPacks(packs: PackStore, denylist: Denylist): PackStore {
  return {
    ...packs,
    async get(cid, options) {
      denylist.requireContent(cid)
      return packs.get(cid, options)
    },
    openReader() {
      const reader = packs.openReader()
      return { ...guardSource(reader, denylist), close: (isSent) => reader.close(isSent) }
    },
  }
}

/** Wraps a pack writer, and rejects denied blocks, both written and kept from another pack. */
export function guardWriter(writer: PackWriter, denylist: Denylist): PackWriter {
  const { sink } = writer
  const { allocate } = sink
  return {
    sink: {
      ...(allocate === undefined ? {} : { allocate: (sizeBytes: number) => allocate.call(sink, sizeBytes) }),
      put(cid, bytes) {
        denylist.requireContent(cid)
        return sink.put(cid, bytes)
      },
    },
    async keep(cids) {
      for (const cid of cids) denylist.requireContent(cid)
      return writer.keep(cids)
    },
    get bytesWritten() {
      return writer.bytesWritten
    },
    seal: (roots) => writer.seal(roots),
    abort: () => writer.abort(),
  }
}

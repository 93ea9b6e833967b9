import { CID } from 'multiformats/cid'
import { cidOfName, type DoubleHash, type HashSubject, hashSubject } from './double-hash.ts'
import type { DeniedStatus, DenylistRule, PathRule } from './parse-denylist.ts'
import { keyOfCid, keyOfDomain, keyOfName } from './rule-keys.ts'

/** Subject of a lookup: content or a name, and the path below it. */
export type DenySubject =
  | { kind: 'content'; cid: CID; segments: readonly string[] }
  | { kind: 'name'; name: string; segments: readonly string[] }
  | { kind: 'domain'; host: string; segments: readonly string[] }

/** Rules, indexed for lookups. */
export type RuleSet = {
  readonly size: number
  /** Returns the status of a denied subject; undefined if it is not denied. */
  find(subject: DenySubject): DeniedStatus | undefined
}

/** Empty files and folders are never denied. Lists contain them by mistake, and denying them would break every site. */
const harmless = new Set(
  [
    'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
    'bafyaabakaieac',
    'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
    'bafkqaaa',
    'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH',
    'bafyreigbtj4x7ip5legnfznufuopl4sg4knzc2cof6duas4b3q2fy6swua',
    'baguqeeraiqjw7i2vwntyuekgvulpp2det2kpwt6cd7tx5ayqybqpmhfk76fa',
  ].map((text) => keyOfCid(CID.parse(text))),
)

type Decision = Pick<DenylistRule, 'isAllowed' | 'status'>
type Placed<T> = T & { position: number }

/** Indexes the rules of all lists, in their order. The last matching rule decides. */
export function createRuleSet(rules: Iterable<DenylistRule>): RuleSet {
  const byKey = new Map<string, Placed<PathRule>[]>()
  const byHash = new Map<string, Placed<Decision>>()
  const usedHashes = new Set<DoubleHash['hash']>()
  let size = 0
  for (const rule of rules) {
    const position = size++
    if (rule.kind === 'path') {
      const known = byKey.get(rule.key)
      if (known === undefined) byKey.set(rule.key, [{ ...rule, position }])
      else known.push({ ...rule, position })
    } else {
      usedHashes.add(rule.hash)
      const { isAllowed, status } = rule
      byHash.set(`${rule.hash} ${rule.digest}`, { isAllowed, status, position })
    }
  }
  return {
    size,
    find(subject) {
      if (size === 0) return undefined
      const { key, hashed } = describe(subject)
      const path = subject.segments.join('/')
      if (subject.kind === 'content' && harmless.has(key)) return undefined
      let last: Placed<Decision> | undefined = byKey.get(key)?.findLast((rule) => matches(rule, path))
      if (usedHashes.size > 0) {
        for (const { hash, digest } of hashSubject(hashed(path), usedHashes)) {
          const rule = byHash.get(`${hash} ${digest}`)
          if (rule !== undefined && rule.position > (last?.position ?? -1)) last = rule
        }
      }
      return last === undefined || last.isAllowed ? undefined : last.status
    },
  }
}

function describe(subject: DenySubject): { key: string; hashed: (path: string) => HashSubject } {
  switch (subject.kind) {
    case 'content':
      return { key: keyOfCid(subject.cid), hashed: (path) => ({ cid: subject.cid, path }) }
    case 'name':
      return { key: keyOfName(subject.name), hashed: (path) => ({ cid: cidOfName(subject.name), path }) }
    case 'domain':
      return { key: keyOfDomain(subject.host), hashed: (path) => ({ host: subject.host.toLowerCase(), path }) }
  }
}

function matches({ path, covers }: PathRule, asked: string): boolean {
  if (covers === 'prefix') return asked.startsWith(path)
  return asked === path || (covers === 'below' && (path === '' || asked.startsWith(`${path}/`)))
}

import { canonicalCid } from '@cairn/crypto'
import {
  CairnError,
  type CallResult,
  keyShardCount,
  keyShardThreshold,
  listKeys as listKeysCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession } from './call-with-session.ts'
import { groupBy } from './group-by.ts'
import { median } from './median.ts'
import { type NodeQueryOptions, queryNodes } from './query-nodes.ts'
import { createReadAhead } from './read-ahead.ts'

type Listed = CallResult<typeof listKeysCall>['files'][number]

/**
 * A file in the lists of the key nodes, as three of them agree on it. Until then it is `provisional`: its owner saved it on
 * fewer, or up to two nodes made it up or lag behind.
 */
export type KeyFile = Listed & {
  /** The nodes that list it. */
  nodes: number[]
}

/** Options of {@link listKeyFiles}. */
export type KeyFileOptions = NodeQueryOptions & {
  /** Rows that each node sends at once. Defaults to 100. */
  pageRows?: number
}

type Role = 'owner' | 'recipient'
/** A file in the list of one node, with its canonical CID, by which lists are ordered. */
type Row = { node: number; cid: string; file: Listed }
/** Rows of a node, one page or more. `until` is the CID of the last one; undefined at the end of the list. */
type Page = { node: number; rows: Row[]; until: string | undefined }

/**
 * Lists files that the address of the session owns (`owner`), or that are shared with it (`recipient`), in the order of their
 * canonical CIDs. Asks all five nodes and merges their lists: two dishonest nodes hide no file and no recipient, and add none.
 * Fetches pages on demand.
 * @throws CairnError KEY_NODES_UNAVAILABLE if fewer than three nodes answer, NO_SESSION, SESSION_EXPIRED, ABORTED
 */
export async function* listKeyFiles(
  client: Client,
  role: Role,
  { pageRows, ...options }: KeyFileOptions = {},
): AsyncGenerator<KeyFile> {
  const fetchPage = async (node: number, after: string | undefined, signal: AbortSignal | undefined): Promise<Page> => {
    const query = {
      role,
      ...(after === undefined ? {} : { after }),
      ...(pageRows === undefined ? {} : { limit: pageRows }),
    }
    const params = { node: String(node) }
    return readPage(node, await callWithSession(client, listKeysCall, node, { params, query }, { signal }), after)
  }
  const readAhead = createReadAhead(options)
  for (let after: string | undefined; ; ) {
    const answers = await queryNodes((node, signal) => fetchPage(node, after, signal), options)
    const pages = answers.map(({ value }) => value)
    const until = findEnd(pages)
    await readAhead(pages, async (page, signal) => {
      if (!isNeeded(page, pages, until)) return false
      const next = await fetchPage(page.node, page.until, signal)
      page.rows.push(...next.rows)
      page.until = next.until
      return true
    })
    for (const [cid, alike] of groupByCid(pages, until).sort(([a], [b]) => (a < b ? -1 : 1))) {
      // A node that did not come so far may list it, too.
      const answered = pages.filter((page) => hasReached(page, cid)).length
      const file = mergeRows(alike, answered)
      // A recipient cannot open a file that fewer nodes share.
      if (role === 'owner' || mayAgree(alike.length, answered)) yield file
    }
    if (until === undefined) return
    after = until
  }
}

/** Groups the rows up to a CID by their file. */
function groupByCid(pages: readonly Page[], until: string | undefined): [string, Row[]][] {
  const rows = pages.flatMap((page) => page.rows)
  return groupBy(
    rows.filter(({ cid }) => until === undefined || cid <= until),
    ({ cid }) => cid,
  )
}

/** Whether the next rows of a node may decide on a file, or one of its recipients, that too few others list. */
function isNeeded(page: Page, pages: readonly Page[], until: string | undefined): boolean {
  if (hasReached(page, until)) return false
  return groupByCid(pages, until).some(([cid, rows]) => {
    if (hasReached(page, cid)) return false
    const silent = pages.filter((other) => !hasReached(other, cid)).length
    const counts = [rows.length, ...countRecipients(rows.map(({ file }) => file)).values()]
    return counts.some((count) => count < keyShardThreshold && count + silent >= keyShardThreshold)
  })
}

/** Counts the nodes that list each recipient. */
function countRecipients(files: readonly Listed[]): Map<string, number> {
  const addresses = files.flatMap(({ sharedTo }) => [...new Set(sharedTo)])
  return new Map(groupBy(addresses, (address) => address).map(([address, by]) => [address, by.length]))
}

/** Whether a node has sent its list up to a CID; undefined for the end of the list. */
function hasReached(page: Page, cid: string | undefined): boolean {
  return page.until === undefined || (cid !== undefined && cid <= page.until)
}

/** @throws CairnError UNEXPECTED_RESPONSE if the rows do not follow the last ones: they would be requested without end */
function readPage(node: number, { files, next }: CallResult<typeof listKeysCall>, after = ''): Page {
  try {
    const rows = files.map((file) => ({ node, cid: canonicalCid(file.cid), file }))
    const until = next === null ? undefined : canonicalCid(next)
    const isOrdered = rows.every(({ cid }, i) => cid > (rows[i - 1]?.cid ?? after))
    if (isOrdered && (until === undefined || until === rows.at(-1)?.cid)) return { node, rows, until }
  } catch {
    // An entry that is not a CID does not belong to a list.
  }
  throw new CairnError('UNEXPECTED_RESPONSE', { message: `Key node ${node} sent files that were not requested` })
}

/**
 * Returns the CID up to which three nodes have sent all they have; undefined if that is everything. The others may have sent
 * less: two nodes whose lists do not end cannot hold up the list.
 */
function findEnd(pages: readonly Page[]): string | undefined {
  // Undefined is last in every sorted array.
  const ends = pages.map(({ until }) => until).sort()
  return ends.at(-keyShardThreshold)
}

/** Whether three nodes may agree on what `count` of those that answered state: the silent ones may agree with them. */
function mayAgree(count: number, answered: number): boolean {
  return count + keyShardCount - answered >= keyShardThreshold
}

function mergeRows(rows: readonly Row[], answered: number): KeyFile {
  const [[owner, alike] = ['', rows]] = groupBy(rows, ({ file }) => file.owner).sort(
    ([, a], [, b]) => b.length - a.length,
  )
  const files = alike.map(({ file }) => file)
  const recipients = [...countRecipients(files)]
  const retired = files.filter(({ state }) => state === 'retired')
  const isAgreed = files.length >= keyShardThreshold
  return {
    cid: files[0]?.cid ?? '',
    owner,
    sharedTo: recipients.flatMap(([address, count]) => (mayAgree(count, answered) ? [address] : [])).sort(),
    hasConditions: mayAgree(files.filter(({ hasConditions }) => hasConditions).length, answered),
    state: !isAgreed ? 'provisional' : retired.length * 2 > files.length ? 'retired' : 'held',
    createdAt: median(files.map(({ createdAt }) => createdAt)),
    updatedAt: median(files.map(({ updatedAt }) => updatedAt)),
    nodes: rows.map(({ node }) => node),
  }
}

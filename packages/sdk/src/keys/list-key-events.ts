import {
  CairnError,
  type CallResult,
  type KeyEventRow,
  keyShardThreshold,
  listKeyEvents as listKeyEventsCall,
  maxKeyEventRows,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { nodeNumbers } from './call-node.ts'
import { callWithSession } from './call-with-session.ts'
import { groupBy } from './group-by.ts'
import { median } from './median.ts'
import { type NodeQueryOptions, queryNodes } from './query-nodes.ts'
import { createReadAhead } from './read-ahead.ts'

/** What happened to a file key, as the key nodes report it. */
export type KeyEvent = {
  /** The same each time it is listed, while `count` may grow. */
  id: string
  kind: KeyEventRow['kind']
  cid: string
  /** Who opened the file, was refused, or made the change. */
  address: string
  /** Median of the nodes' times, in ms since 1970; the last time for several openings within an hour. */
  at: number
  /**
   * Number of times within an hour: the highest number that at least three nodes reach or, if fewer nodes report it, the maximum.
   */
  count: number
  /** The addresses that were added, revoked, or made owner. */
  addresses: string[]
  /** The nodes that report it. */
  nodes: number[]
  /** Whether at least three nodes report it: two dishonest nodes cannot invent it. */
  isConfirmed: boolean
}

/** Options of {@link listKeyEvents}. */
export type KeyEventOptions = NodeQueryOptions & {
  /** Only events of this file. */
  cid?: string
  /** Only events before this time, in ms since 1970. */
  before?: number
  /** Rows that each node sends at once. Defaults to 100. */
  pageRows?: number
}

type Page = CallResult<typeof listKeyEventsCall>
type Row = { node: number; since: number; event: KeyEventRow }
/** Rows of different nodes that report one event. */
type Group = [Row, ...Row[]]

/** Nodes that stamp the same access by their own clocks differ by less. */
const sameAccessMs = 2 * 60_000

/** What one node sent so far. */
type Log = {
  node: number
  /** All that happened at this time or later was sent, in ms since 1970; 0 at the end. */
  before: number
  /** Rows that are not listed yet. */
  rows: Row[]
  /** Names of the rows of the last page: those of the same millisecond are sent again. */
  last: ReadonlySet<string>
  /** Rows per page: more than at first while those of one millisecond do not fit into a page. */
  pageRows: number
}

const defaultPageRows = 100

/**
 * Lists who opened the files of the session's address or was refused, and the changes that the address made, newest
 * first. Asks all five nodes and merges their logs. Fetches pages on demand.
 * @throws CairnError KEY_NODES_UNAVAILABLE if fewer than three nodes answer, NO_SESSION, SESSION_EXPIRED, ABORTED
 */
export async function* listKeyEvents(
  client: Client,
  { cid, before: start = Number.POSITIVE_INFINITY, pageRows = defaultPageRows, ...options }: KeyEventOptions = {},
): AsyncGenerator<KeyEvent> {
  const named = cid === undefined ? {} : { cid }
  const open = (node: number): Log => ({ node, before: start, rows: [], last: new Set(), pageRows })
  const logs = new Map(nodeNumbers.map((node) => [node, open(node)]))
  const fetchPage = ({ node, before, pageRows: limit }: Log, signal?: AbortSignal) =>
    requestPage(client, node, { ...named, limit, ...(before === Number.POSITIVE_INFINITY ? {} : { before }) }, signal)
  const readAhead = createReadAhead(options)
  let horizon = start
  let next = start
  for (;;) {
    const sent = await queryNodes(async (node, signal) => {
      const log = logs.get(node) ?? open(node)
      // A node that sent more than others waits for them.
      return { log, page: log.before < horizon || log.before === 0 ? undefined : await fetchPage(log, signal) }
    }, options)
    const answered = sent.map(({ value: { log, page } }) => {
      if (page !== undefined) addPage(log, page)
      return log
    })
    horizon = findHorizon(answered)
    const reached = horizon
    await readAhead(answered, async (log, signal) => {
      if (log.before <= reached) return false
      addPage(log, await fetchPage(log, signal))
      return true
    })
    // Rows of one access lie close together: those near the horizon wait for the next page.
    next = nextBefore(horizon, next)
    const groups = groupRows([...logs.values()].flatMap(({ rows }) => rows))
    const events = groups.map((group) => ({ group, event: mergeGroup(group) })).sort((a, b) => b.event.at - a.event.at)
    const listed = new Set<Row>()
    for (const { group, event } of events) {
      if (horizon > 0 && group.every((row) => row.event.at < next)) continue
      for (const row of group) listed.add(row)
      yield event
    }
    if (horizon === 0) return
    for (const log of logs.values()) {
      log.rows = log.rows.filter((row) => !listed.has(row))
      // Events that a node did not send in time are listed without its report.
      log.before = Math.min(log.before, next)
    }
  }
}

/** Adds the rows of a page to the log of its node. */
function addPage(log: Log, { events, hasMore }: Page): void {
  const rows = events.map((event) => ({ node: log.node, since: sinceOf(event), event }))
  const fresh = rows.filter((row) => !log.last.has(nameRow(row)))
  const end = events.at(-1)?.at
  log.rows.push(...fresh)
  log.last = new Set(rows.map(nameRow))
  if (!hasMore || end === undefined) log.before = 0
  // Further rows of the same millisecond are on the next page, which also has those.
  else if (end + 1 < log.before) log.before = end + 1
  // All of the page is of one millisecond.
  else if (log.pageRows < maxKeyEventRows) log.pageRows = Math.min(maxKeyEventRows, 4 * log.pageRows)
  else log.before = end
}

/**
 * Returns the time down to which three nodes have sent all they have; 0 if that is everything. The others may have sent
 * less: with five answers, two nodes that always have more cannot hold up the list.
 */
function findHorizon(answered: readonly Log[]): number {
  const ends = answered.map(({ before }) => before).sort((a, b) => b - a)
  return ends[answered.length - keyShardThreshold] ?? 0
}

/** Pages overlap by the time within which accesses are merged, unless the list would then make no progress. */
function nextBefore(horizon: number, before: number): number {
  const overlapping = horizon + 2 * sameAccessMs
  return overlapping < before ? overlapping : horizon
}

async function requestPage(
  client: Client,
  node: number,
  query: { cid?: string; before?: number; limit?: number },
  signal: AbortSignal | undefined,
): Promise<Page> {
  const { before = Number.POSITIVE_INFINITY } = query
  const input = { params: { node: String(node) }, query }
  const page = await callWithSession(client, listKeyEventsCall, node, input, { signal })
  // A page that is not older than the last one would be requested endlessly.
  if (page.events.every(({ at }) => at < before)) return page
  throw new CairnError('UNEXPECTED_RESPONSE', { message: `Key node ${node} sent events that were not requested` })
}

function sinceOf(event: KeyEventRow): number {
  return 'since' in event ? event.since : event.at
}

/** The same row in two pages. */
function nameRow({ node, event }: Row): string {
  return JSON.stringify([node, event])
}

/** What the rows of one event have in common on all nodes. A node that missed an earlier change has a lower version. */
function commonOf(event: KeyEventRow): (string | number)[] {
  const { kind, cid, address } = event
  return 'since' in event ? [kind, cid, address] : [kind, cid, address, event.id, ...event.addresses]
}

/** The version that a change led to; 0 for an access. */
function versionOf({ event }: Row): number {
  return 'since' in event ? 0 : event.version
}

/** Groups the rows of different nodes that report the same event: at most one of each node. */
function groupRows(rows: Row[]): Group[] {
  const groups: Group[] = []
  const open = new Map<string, Group[]>()
  for (const row of rows.sort((a, b) => a.since - b.since)) {
    const name = JSON.stringify(commonOf(row.event))
    const known = open.get(name) ?? []
    const others = known.filter((group) => !group.some(({ node }) => node === row.node))
    // A change may reach a node hours later than the others, with their version. One change is made several times in a
    // session, and each follows the one before.
    const group =
      others.find((one) => versionOf(row) > 0 && one.some((other) => versionOf(other) === versionOf(row))) ??
      others.findLast((one) => row.since <= Math.max(...one.map(({ event }) => event.at)) + sameAccessMs)
    if (group !== undefined) {
      group.push(row)
      continue
    }
    const fresh: Group = [row]
    groups.push(fresh)
    // Of accesses, only the last group is open.
    open.set(name, versionOf(row) > 0 ? [...known, fresh] : [fresh])
  }
  return groups
}

/** Accesses are added up by the hour in which they began; changes have the version that most nodes report. */
function idOf(group: Group): string {
  const [{ event }, ...others] = group
  if ('since' in event) {
    const since = others.reduce((first, row) => Math.min(first, row.since), event.since)
    return [...commonOf(event), Math.floor(since / 3_600_000)].join(':')
  }
  const { kind, cid, address, id, addresses } = event
  const counts = groupBy(group, versionOf).sort((a, b) => b[1].length - a[1].length || b[0] - a[0])
  return [kind, cid, address, counts[0]?.[0], id, ...addresses].join(':')
}

function mergeGroup(group: Group): KeyEvent {
  const [{ event }] = group
  const counts = group.map((row) => ('count' in row.event ? row.event.count : 1)).sort((a, b) => b - a)
  return {
    id: idOf(group),
    kind: event.kind,
    cid: event.cid,
    address: event.address,
    at: median(group.map((row) => row.event.at)),
    count: counts[keyShardThreshold - 1] ?? counts[0] ?? 1,
    addresses: 'addresses' in event ? event.addresses : [],
    nodes: group.map(({ node }) => node).sort((a, b) => a - b),
    isConfirmed: group.length >= keyShardThreshold,
  }
}

import {
  CairnError,
  type CallResult,
  type KeyEventRow,
  keyShardThreshold,
  listKeyEvents as listKeyEventsCall,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { callWithSession } from './call-with-session.ts'
import { median } from './median.ts'
import { type NodeQueryOptions, queryNodes } from './query-nodes.ts'

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
  /** How often within an hour: at least three nodes report at least as many, or the maximum if fewer report any. */
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

/**
 * Lists who opened the files of the session's address or was refused, and the changes that the address made, newest
 * first. Asks all five nodes and merges their logs. Fetches pages on demand.
 * @throws CairnError KEY_NODES_UNAVAILABLE if fewer than three nodes answer, NO_SESSION, SESSION_EXPIRED, ABORTED
 */
export async function* listKeyEvents(
  client: Client,
  { cid, before: start, pageRows, ...options }: KeyEventOptions = {},
): AsyncGenerator<KeyEvent> {
  const named = { ...(cid === undefined ? {} : { cid }), ...(pageRows === undefined ? {} : { limit: pageRows }) }
  const used = new Set<string>()
  for (let before = start; ; ) {
    const query = { ...named, ...(before === undefined ? {} : { before }) }
    const pages = await fetchPages(client, query, options)
    const horizon = findHorizon(pages)
    // Rows of one access lie close together: those near the horizon wait for the next page.
    const next = nextBefore(horizon, before)
    const rows = pages.flatMap(({ node, page }) => page.events.map((event) => ({ node, since: sinceOf(event), event })))
    const groups = groupRows(rows.filter((row) => !used.has(nameRow(row))))
    const events = groups.map((group) => ({ group, event: mergeGroup(group) })).sort((a, b) => b.event.at - a.event.at)
    for (const { group, event } of events) {
      if (horizon > 0 && group.every((row) => row.event.at < next)) continue
      for (const row of group) used.add(nameRow(row))
      yield event
    }
    if (horizon === 0) return
    before = next
  }
}

/**
 * Returns the time down to which three nodes have sent all they have; 0 if that is everything. The others may have sent
 * less: with five answers, two nodes that always have more cannot hold up the list.
 */
function findHorizon(pages: readonly { page: Page }[]): number {
  const horizons = pages.map(({ page }) => (page.hasMore ? (page.events.at(-1)?.at ?? 0) : 0)).sort((a, b) => b - a)
  return horizons[pages.length - keyShardThreshold] ?? 0
}

/** Pages overlap by the time within which one access is merged, unless that would not get ahead. */
function nextBefore(horizon: number, before: number | undefined): number {
  const overlapping = horizon + 2 * sameAccessMs
  return before === undefined || overlapping < before ? overlapping : horizon
}

async function fetchPages(
  client: Client,
  query: { cid?: string; before?: number; limit?: number },
  options: NodeQueryOptions,
): Promise<{ node: number; page: Page }[]> {
  const { before = Number.POSITIVE_INFINITY } = query
  const ask = async (node: number): Promise<Page> => {
    const input = { params: { node: String(node) }, query }
    const page = await callWithSession(client, listKeyEventsCall, node, input, options)
    // A page that is not older than the last one would be requested without end.
    if (page.events.every(({ at }) => at < before)) return page
    throw new CairnError('UNEXPECTED_RESPONSE', { message: `Key node ${node} sent events that were not asked for` })
  }
  return (await queryNodes(ask, options)).map(({ node, value }) => ({ node, page: value }))
}

function sinceOf(event: KeyEventRow): number {
  return 'since' in event ? event.since : event.at
}

/** The same row in two pages. */
function nameRow({ node, event }: Row): string {
  return JSON.stringify([node, event])
}

/** What the rows of one event have in common on all nodes. */
function commonOf(event: KeyEventRow): (string | number)[] {
  const { kind, cid, address } = event
  return 'since' in event ? [kind, cid, address] : [kind, cid, address, event.version, event.id, ...event.addresses]
}

/** Groups the rows of different nodes that report the same event: at most one of each node. */
function groupRows(rows: Row[]): Group[] {
  const groups: Group[] = []
  const open = new Map<string, Group>()
  for (const row of rows.sort((a, b) => a.since - b.since)) {
    const name = JSON.stringify(commonOf(row.event))
    const group = open.get(name)
    const isSame =
      group !== undefined &&
      !group.some(({ node }) => node === row.node) &&
      (!('since' in row.event) || row.since <= Math.max(...group.map(({ event }) => event.at)) + sameAccessMs)
    if (isSame) group.push(row)
    else {
      const fresh: Group = [row]
      groups.push(fresh)
      open.set(name, fresh)
    }
  }
  return groups
}

/** Accesses are added up by the hour in which they began. */
function idOf([{ event }, ...others]: Group): string {
  const common = commonOf(event)
  if (!('since' in event)) return common.join(':')
  const since = others.reduce((first, row) => Math.min(first, row.since), event.since)
  return [...common, Math.floor(since / 3_600_000)].join(':')
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

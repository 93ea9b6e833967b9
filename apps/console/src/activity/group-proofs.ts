import type { AccountEvent } from '@cairn/protocol'
import type { ActivityItem } from './activity-item.ts'
import { typesOf } from './event-groups.ts'

/** A line of the activity, with how often it happened in a row. */
export type ActivityLine = { item: ActivityItem; count: number }

const proofTypes = new Set<string>(typesOf('proofs'))

/**
 * Shows events of proofs that follow each other once per day, type and provider, at the place of the newest: a provider proves
 * each piece by itself, so that the same line would come again and again.
 */
export function groupProofs(items: readonly ActivityItem[]): ActivityLine[] {
  const lines: ActivityLine[] = []
  /** The lines of the proofs since the last other event. */
  const run = new Map<string, ActivityLine>()
  for (const item of items) {
    const key = item.source === 'account' ? proofKey(item.event) : undefined
    if (key === undefined) run.clear()
    const known = key === undefined ? undefined : run.get(key)
    if (known !== undefined) {
      known.count++
      continue
    }
    const line = { item, count: 1 }
    lines.push(line)
    if (key !== undefined) run.set(key, line)
  }
  return lines
}

function proofKey({ type, timestamp, data }: AccountEvent): string | undefined {
  if (!proofTypes.has(type)) return undefined
  return JSON.stringify([type, data['provider'] ?? '', data['cid'] ?? '', new Date(timestamp).toDateString()])
}

import type { DueWebhook } from './deliveries.ts'

/** Concurrent deliveries per process; in it, per account and per webhook. */
const maxRunning = 16
const maxRunningPerAccount = 4
const maxRunningPerWebhook = 2

/**
 * The concurrent deliveries of a process. Accounts and webhooks share them, so that receivers that respond slowly, or not
 * at all, delay the events of others only until the next slot is free.
 */
export type DeliverySlots = {
  readonly isFull: boolean
  /** Returns those that may use a slot now: the one that has had none for the longest time first. */
  select(due: readonly DueWebhook[]): DueWebhook[]
  /** Uses a slot. Returns a function that releases it. */
  acquire(webhook: DueWebhook): () => void
}

export function createDeliverySlots(): DeliverySlots {
  const running = new Set<{ readonly webhook: DueWebhook }>()
  /** Number of the last slot of each webhook that is due. */
  let numbers = new Map<string, number>()
  let newest = 0

  const countBy = (key: keyof DueWebhook): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const { webhook } of running) counts.set(webhook[key], (counts.get(webhook[key]) ?? 0) + 1)
    return counts
  }

  return {
    get isFull() {
      return running.size >= maxRunning
    },
    select(due) {
      numbers = new Map(due.map(({ id }) => [id, numbers.get(id) ?? 0]))
      const ofAccount = countBy('address')
      const ofWebhook = countBy('id')
      const selected: DueWebhook[] = []
      const last = ({ id }: DueWebhook): number => numbers.get(id) ?? 0
      for (const webhook of due.toSorted((a, b) => last(a) - last(b))) {
        if (running.size + selected.length >= maxRunning) break
        const count = ofAccount.get(webhook.address) ?? 0
        if (count >= maxRunningPerAccount || (ofWebhook.get(webhook.id) ?? 0) >= maxRunningPerWebhook) continue
        ofAccount.set(webhook.address, count + 1)
        selected.push(webhook)
      }
      return selected
    },
    acquire(webhook) {
      const slot = { webhook }
      running.add(slot)
      numbers.set(webhook.id, ++newest)
      return () => running.delete(slot)
    },
  }
}

/** An event of an account. Sequences start at 1 and have no gaps. `data` is a flat JSON object. */
type AccountEventTable = {
  address: string
  sequence: number
  id: string
  type: string
  data: string
  created_at: number
}

/** An event of an aggregate that is being recorded for its accounts, in the order of their addresses. */
type AggregateEventTable = {
  id: string
  aggregate_id: string
  type: string
  data: string
  created_at: number
  /** The last account that has it; empty at first. */
  after_address: string
}

/**
 * A webhook. `types` is a JSON array; `seal` is its secret, sealed by the named secret of the service. `cursor` is the
 * sequence of the last event that was queued or skipped.
 */
export type WebhookTable = {
  id: string
  address: string
  url: string
  types: string
  description: string
  seal: Uint8Array
  secret_id: string
  is_enabled: 0 | 1
  disabled_reason: string | null
  failing_since: number | null
  cursor: number
  missed_events: number
  created_at: number
}

/** An event for a webhook. `owner` is the worker that sends it, until `owner_until`. */
export type WebhookDeliveryTable = {
  webhook_id: string
  sequence: number
  event_id: string
  type: string
  body: string
  state: 'pending' | 'delivered' | 'failed'
  tries: number
  next_at: number
  owner: string | null
  owner_until: number | null
  last_status: number | null
  last_error: string | null
  /** Time of the event. */
  created_at: number
  updated_at: number
}

/** Events of accounts, and webhooks. */
export type EventTables = {
  account_event: AccountEventTable
  aggregate_event: AggregateEventTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
}

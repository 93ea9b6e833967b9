// The two logs of the activity, merged into one list.
import type { AccountEvent } from '@cairn/protocol'
import type { KeyEvent } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { mergeActivity } from './activity-item.ts'
import { isNews } from './use-key-activity.ts'

const stored = (at: number): AccountEvent => ({
  id: `e${at}`,
  cursor: String(at),
  type: 'upload.stored',
  timestamp: new Date(at).toISOString(),
  data: {},
})
const opened = (at: number, more: Partial<KeyEvent> = {}): KeyEvent => ({
  kind: 'opened',
  cid: 'bafy',
  address: '0xfriend',
  at,
  count: 1,
  addresses: [],
  nodes: [1, 2, 3],
  isConfirmed: true,
  ...more,
})

test('merges entries by time, and withholds those older than the known part of either log', () => {
  const account = { events: [stored(500), stored(300)], oldest: 300 }
  const keys = { events: [opened(400), opened(200)], oldest: undefined }
  expect(mergeActivity(account, keys).map(({ at }) => at)).toEqual([500, 400, 300])
  expect(mergeActivity({ ...account, oldest: undefined }, keys).map(({ at }) => at)).toEqual([500, 400, 300, 200])
  expect(mergeActivity({ ...account, oldest: undefined }, { ...keys, oldest: 350 }).map(({ at }) => at)).toEqual([
    500, 400,
  ])
})

test('each line has its own id', () => {
  const events = [
    opened(1),
    opened(1, { address: '0xother' }),
    opened(1, { nodes: [4, 5] }),
    opened(1, { kind: 'denied' }),
  ]
  const ids = mergeActivity({ events: [], oldest: undefined }, { events, oldest: undefined }).map(({ id }) => id)
  expect(new Set(ids).size).toBe(4)
})

test('omits the user’s own openings and saved keys, and shows refusals and openings by others', () => {
  expect(isNews(opened(1), '0xme')).toBe(true)
  expect(isNews(opened(1, { address: '0xme' }), '0xme')).toBe(false)
  expect(isNews(opened(1, { kind: 'denied', address: '0xme' }), '0xme')).toBe(true)
  expect(isNews(opened(1, { kind: 'save', address: '0xme' }), '0xme')).toBe(false)
  expect(isNews(opened(1, { kind: 'share', address: '0xme' }), '0xme')).toBe(true)
})

test('shows an API key revoked before events had names under the name of its creation event', () => {
  const event = (at: number, type: string, data: AccountEvent['data']) => ({ ...stored(at), type, data })
  const events = [
    event(4, 'api_key.revoked', { keyId: 'unknown' }),
    event(3, 'api_key.revoked', { keyId: 'k', name: 'renamed' }),
    event(2, 'api_key.revoked', { keyId: 'k' }),
    event(1, 'api_key.created', { keyId: 'k', name: 'Console session' }),
  ]
  const items = mergeActivity({ events, oldest: undefined }, { events: [], oldest: undefined })
  const names = items.map((item) => (item.source === 'account' ? item.event.data['name'] : ''))
  expect(names).toEqual([undefined, 'renamed', 'Console session', 'Console session'])
})

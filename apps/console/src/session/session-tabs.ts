import * as v from 'valibot'
import { ignoreBlocked } from '../browser/ignore-blocked.ts'

/**
 * Shares the session among the tabs of this origin. A new tab requests it from the others, and every change and the end of the
 * session reach all tabs. Messages contain the text of session storage, never the key that the browser holds.
 */
const name = 'cairn.session'
/** Maximum wait for a response, in ms. A frozen tab holds the session without responding; a new tab then continues alone. */
const answerLimitMs = 500

const endReasons = ['signed-out', 'wallet-left', 'account-changed', 'expired', 'revoked'] as const
/** Reason that a session ended. `revoked`: its API key was revoked elsewhere. */
export type EndReason = (typeof endReasons)[number]

const messageSchema = v.variant('kind', [
  v.object({ kind: v.literal('ask'), from: v.string() }),
  v.object({ kind: v.literal('answer'), to: v.string(), text: v.string() }),
  v.object({ kind: v.literal('changed'), text: v.string() }),
  v.object({ kind: v.literal('ended'), apiKey: v.string(), reason: v.picklist(endReasons) }),
])
type Message = v.InferOutput<typeof messageSchema>

/** Not `randomUUID`, which pages without TLS lack. */
const ownId = crypto.getRandomValues(new Uint32Array(4)).join('-')
let opened: BroadcastChannel | undefined
let release: (() => void) | undefined

/** Returns the channel to other tabs; undefined in a Firefox that blocks storage, where the tab cannot share its session. */
function channel(): BroadcastChannel | undefined {
  try {
    opened ??= new BroadcastChannel(name)
    return opened
  } catch (error) {
    return ignoreBlocked(error)
  }
}

function post(message: Message): void {
  channel()?.postMessage(message)
}

/** Listens to the other tabs: responds to their requests, and reports changes and the end of the session. */
export function watchTabs({
  readText,
  onChanged,
  onEnded,
}: {
  /** Returns the session of this tab as text; undefined without one. */
  readText: () => string | undefined
  onChanged: (text: string) => void
  onEnded: (apiKey: string, reason: EndReason) => void
}): void {
  channel()?.addEventListener('message', ({ data }) => {
    const { success, output: message } = v.safeParse(messageSchema, data)
    if (!success) return
    if (message.kind === 'changed') onChanged(message.text)
    if (message.kind === 'ended') onEnded(message.apiKey, message.reason)
    if (message.kind !== 'ask') return
    const text = readText()
    if (text !== undefined) post({ kind: 'answer', to: message.from, text })
  })
}

/** Returns the session of another tab as text. Waits for a response only if a tab holds a session. */
export async function askTabs(): Promise<string | undefined> {
  if (!(await isHeldElsewhere())) return undefined
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const listen = ({ data }: MessageEvent) => {
    const { success, output: message } = v.safeParse(messageSchema, data)
    if (success && message.kind === 'answer' && message.to === ownId) resolve(message.text)
  }
  const timer = setTimeout(() => resolve(undefined), answerLimitMs)
  channel()?.addEventListener('message', listen)
  post({ kind: 'ask', from: ownId })
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    channel()?.removeEventListener('message', listen)
  }
}

/** Sends a new or changed session to the other tabs. */
export function announceSession(text: string): void {
  post({ kind: 'changed', text })
}

/** Ends the session in other tabs that have the same one. */
export function announceEnd(apiKey: string, reason: EndReason): void {
  post({ kind: 'ended', apiKey, reason })
}

/** Marks this tab as holding a session, with a lock that the browser releases when the tab closes. */
export function holdSession(isHeld: boolean): void {
  // Pages without TLS have no locks; their tabs always request the session and wait.
  if (!('locks' in navigator) || isHeld === (release !== undefined)) return
  release?.()
  release = undefined
  if (!isHeld) return
  const { promise, resolve } = Promise.withResolvers<void>()
  release = resolve
  navigator.locks.request(name, { mode: 'shared' }, () => promise).catch(ignoreBlocked)
}

async function isHeldElsewhere(): Promise<boolean> {
  if (!('locks' in navigator)) return true
  const { held = [] } = (await navigator.locks.query().catch(ignoreBlocked)) ?? {}
  return held.some((lock) => lock.name === name)
}

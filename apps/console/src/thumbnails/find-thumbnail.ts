import { maxThumbnailsPerCall } from '@cairn/protocol'
import { type Client, findThumbnails, type SealedThumbnail } from '@cairn/sdk'

/** How long requests are collected, in ms: tiles appear together, and one request fetches all of their thumbnails. */
const gatherMs = 30

type Waiting = { cid: string; resolve: (found: SealedThumbnail | undefined) => void; reject: (error: unknown) => void }

let waiting: Waiting[] = []

/** Returns the encrypted thumbnail of an own upload, in one request with those of other tiles; undefined if it has none. */
export function findThumbnail(client: Client, cid: string): Promise<SealedThumbnail | undefined> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setTimeout(() => void askAll(client), gatherMs)
    waiting.push({ cid, resolve, reject })
  })
}

async function askAll(client: Client): Promise<void> {
  const all = waiting
  waiting = []
  for (let at = 0; at < all.length; at += maxThumbnailsPerCall) {
    const group = all.slice(at, at + maxThumbnailsPerCall)
    try {
      const found = await findThumbnails(client, [...new Set(group.map(({ cid }) => cid))])
      for (const { cid, resolve } of group) resolve(found.get(cid))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
}

/** Maximum number of keys fetched concurrently: each takes a request to several nodes. */
const maxKeys = 3
let running = 0
const queue: (() => void)[] = []

/** Runs work that fetches a key, at most {@link maxKeys} at a time. */
export async function inKeyQueue<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxKeys) await new Promise<void>((resolve) => queue.push(resolve))
  running++
  try {
    return await work()
  } finally {
    running--
    queue.shift()?.()
  }
}

import { hash } from 'node:crypto'

/** A number from 0 to 1, the same sequence for the same seed. */
export type Random = () => number

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Acknowledged content: paths below the gateway's `/ipfs/`, and the SHA-256 of their bytes. */
export type Promised = { path: string; digest: string }

/** Uploads until the service dies, and records what was acknowledged. */
export async function uploadUntilGone(
  service: { api: string },
  apiKey: string,
  random: Random,
  promised: Promised[],
): Promise<void> {
  const recent: Uint8Array[] = []
  for (;;) {
    const files = makeFiles(random, recent)
    const encrypted = random() < 0.2
    const body = new FormData()
    for (const { name, bytes } of files) body.append('file', new Blob([bytes as BlobPart]), name)
    const headers: Record<string, string> = { authorization: `Bearer ${apiKey}` }
    if (encrypted) headers['encryption'] = 'true'
    let answer: unknown
    try {
      const response = await fetch(`${service.api}/api/v0/add`, { method: 'POST', headers, body })
      answer = await response.json()
      if (response.status !== 200) throw new Error(`refused: ${JSON.stringify(answer)}`)
    } catch (error) {
      // Nothing listens any more, or the response broke off: the expected end. A refusal is an error.
      if (error instanceof Error && error.message.startsWith('refused')) throw error
      return
    }
    const entries = (Array.isArray(answer) ? answer : [answer]) as { Name: string; Hash: string }[]
    for (const { name, bytes } of files) {
      const entry = encrypted ? entries.find(({ Name }) => Name === name) : entries[0]
      const inner = encrypted || files.length === 1 ? '' : `/${name.split('/').slice(1).join('/')}`
      promised.push({ path: `${entry?.Hash}${inner}`, digest: hash('sha256', bytes) })
    }
  }
}

function makeFiles(random: Random, recent: Uint8Array[]): { name: string; bytes: Uint8Array }[] {
  const kind = random()
  if (kind < 0.15 && recent.length > 0) {
    const bytes = recent[Math.floor(random() * recent.length)] ?? new Uint8Array(0)
    return [{ name: 'again.bin', bytes }]
  }
  const sizeBytes = kind < 0.6 ? Math.floor(random() * 20_000) : Math.floor(random() * 6_000_000)
  if (kind > 0.8) {
    return Array.from({ length: 5 }, (_, index) => ({
      name: `folder/sub/${index}`,
      bytes: makeBytes(random, sizeBytes / 50),
    }))
  }
  const bytes = makeBytes(random, sizeBytes)
  recent.push(bytes)
  if (recent.length > 4) recent.shift()
  return [{ name: 'file.bin', bytes }]
}

export function makeBytes(random: Random, sizeBytes: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4))
  for (let at = 0; at < words.length; at++) words[at] = random() * 2 ** 32
  return new Uint8Array(words.buffer, 0, Math.floor(sizeBytes))
}

/** Reads the acknowledged content and returns what is missing or changed. */
export async function findBroken(service: { gateway: string }, promised: readonly Promised[]): Promise<string[]> {
  const broken: string[] = []
  const queue = [...promised]
  const readOne = async (): Promise<void> => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const answer = await fetch(`${service.gateway}/ipfs/${next.path}`)
      const bytes = new Uint8Array(await answer.arrayBuffer())
      if (answer.status !== 200 || hash('sha256', bytes) !== next.digest) broken.push(`${next.path}: ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, readOne))
  return broken
}

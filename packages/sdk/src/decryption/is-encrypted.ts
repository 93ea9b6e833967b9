import { canonicalCid } from '@cairn/crypto'
import { CairnError, getConditions, isAnyCid, isCid, keyShardThreshold } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { getFileInfo } from '../files/files.ts'
import { callKeyNode, nodeNumbers } from '../keys/call-node.ts'

type Options = { signal?: AbortSignal }

/**
 * Returns whether a CID requires decryption. The encrypted flag of `getFileInfo` counts only for an upload of the
 * caller, because anyone can upload the same bytes with another flag. Otherwise three key nodes must agree on whether
 * they store a key.
 * @throws CairnError KEY_NODES_UNAVAILABLE if no three nodes agree, INVALID_CID
 */
export async function isEncrypted(client: Client, cid: string, options: Options = {}): Promise<boolean> {
  if (!isAnyCid(cid)) return false
  // Key nodes accept no base36, and keys are only for hashes of SHA-256.
  const keyCid = canonicalCid(cid)
  if (!isCid(keyCid)) return false
  return (await findOwnFlag(client, cid, options)) ?? hasKey(client, keyCid, options)
}

async function findOwnFlag(client: Client, cid: string, options: Options): Promise<boolean | undefined> {
  if (client.apiKey === undefined) return undefined
  try {
    const { isOwn, encryption } = await getFileInfo(client, cid, options)
    return isOwn === true ? encryption : undefined
  } catch (error) {
    // A rejected API key says nothing about the file, so the key nodes decide.
    if (CairnError.is(error, 'NOT_FOUND') || (CairnError.is(error) && [401, 403].includes(error.status)))
      return undefined
    throw error
  }
}

async function hasKey(client: Client, cid: string, { signal }: Options): Promise<boolean> {
  if (client.network.keyNodes === undefined) return false
  const stop = new AbortController()
  const ended = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal])
  const queryNode = async (node: number): Promise<boolean> => {
    try {
      await callKeyNode(client, getConditions, node, { params: { cid } }, { signal: ended })
      return true
    } catch (error) {
      if (CairnError.is(error, 'KEY_NOT_FOUND')) return false
      throw error
    }
  }
  try {
    return await firstMajority(nodeNumbers.map(queryNode))
  } catch (cause) {
    if (signal?.aborted) throw new CairnError('ABORTED', { cause: signal.reason })
    throw cause
  } finally {
    stop.abort()
  }
}

/** Returns the answer that three nodes agree on, without waiting for slow nodes. */
function firstMajority(answers: readonly Promise<boolean>[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const received: boolean[] = []
    const failures: unknown[] = []
    const conclude = () => {
      for (const answer of [true, false])
        if (received.filter((one) => one === answer).length >= keyShardThreshold) resolve(answer)
      if (received.length + failures.length < answers.length) return
      const [cause] = failures
      reject(
        new CairnError('KEY_NODES_UNAVAILABLE', {
          message: 'Cannot determine whether the file is encrypted, because fewer than three key nodes are available',
          cause,
        }),
      )
    }
    for (const answer of answers) {
      answer.then(
        (one) => {
          received.push(one)
          conclude()
        },
        (error: unknown) => {
          failures.push(error)
          conclude()
        },
      )
    }
  })
}

import { CairnError, decodeError, getConditions, KIB, keyShardThreshold } from '@cairn/protocol'
import { sendRequest } from '@cairn/service'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { findOwnUpload, findUpload } from '../files/files.ts'

/** Far above any answer with conditions. */
const maxAnswerBytes = 256 * KIB
/** Maximum time that a key node has to answer, in ms: a pin waits for it. */
const answerMs = 2_000

/**
 * Returns whether content to pin is encrypted, if its owner does not say. The mark of the account's newest upload decides.
 * Otherwise the word of other uploaders, which `file_info` shows to anyone, counts only if three key nodes store a key: anyone can
 * upload plain content as encrypted.
 */
export async function findMark(context: Context, address: string, cid: CID, signal: AbortSignal): Promise<boolean> {
  const own = await findOwnUpload(context, address, cid)
  if (own !== undefined) return own.encryption === 1
  if (context.keyNodeUrls.length === 0 || !(await isSaidEncrypted(context, cid))) return false
  const answers = await Promise.all(context.keyNodeUrls.map((url) => hasKey(context, url, cid, signal)))
  return answers.filter(Boolean).length >= keyShardThreshold
}

async function isSaidEncrypted(context: Context, cid: CID): Promise<boolean> {
  try {
    return (await findUpload(context, cid)).encryption === 1
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return false
    throw error
  }
}

/** Returns whether a key node stores a key; false if it does not answer in time. */
async function hasKey({ failures }: Context, url: string, cid: CID, signal: AbortSignal): Promise<boolean> {
  try {
    const target = new URL(`${url}${getConditions.path.replace('{cid}', cid.toString())}`)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const { status, header, body } = await sendRequest(target, { method: 'GET', signal: limit, maxAnswerBytes })
    if (status === 200) return true
    const error = decodeError('keyNode', { status, header, body: Buffer.from(body).toString() })
    if (error.code === 'KEY_NOT_FOUND') return false
    throw error
  } catch (error) {
    signal.throwIfAborted()
    failures.failed(`mark ${url}`, error, 'a key node did not say whether pinned content is encrypted', { url })
    return false
  }
}

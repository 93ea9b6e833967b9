import {
  CairnError,
  type CallDefinition,
  type CallInput,
  type CallResult,
  keyNodeRetryMs,
  keyNodeTries,
  keyShardCount,
} from '@cairn/protocol'
import { describeCall, openResponse, parseAnswer, pause, readText } from '../request.ts'
import { clientOf } from './client.ts'
import { lighthouseConfig } from './config.ts'
import { replaceText } from './peer-text.ts'

/** Result of a change, in the format of the published module. */
export type ChangeAnswer = { isSuccess: boolean; error: unknown }

const maxAnswerBytes = 1024 * 1024

/**
 * Makes one call to the router with a signature or JWT as the bearer token; retries network errors, and a 404, which no key node
 * sends: published clients call it `fetch Error`.
 */
export async function callRouter<C extends CallDefinition>(
  definition: C,
  input: CallInput<C>,
  token?: string,
): Promise<CallResult<C>> {
  const client = clientOf()
  const send = describeCall(client, definition, input, {}, lighthouseConfig.lighthouseAuthNode)
  const headers = { ...send.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
  for (let tries = 1; ; tries++) {
    try {
      return parseAnswer(definition, await readText(await openResponse(client, { ...send, headers }), maxAnswerBytes))
    } catch (thrown) {
      const isMissing = CairnError.is(thrown) && thrown.status === 404
      const error = isMissing ? replaceText(thrown, 'fetch Error') : thrown
      // The name of the status in errors of the published client.
      if (CairnError.is(error) && error.status !== 0) Object.assign(error, { statusCode: error.status })
      const isNodeProblem = isMissing || CairnError.is(error, 'NETWORK_ERROR') || CairnError.is(error, 'TIMEOUT')
      if (!isNodeProblem || tries >= keyNodeTries) throw error
      await pause(keyNodeRetryMs, undefined)
    }
  }
}

/** Makes the five calls of a change in order, with the pause; stops at the first that fails. */
export async function callFive(callOne: (node: number) => Promise<{ message: string }>): Promise<ChangeAnswer> {
  try {
    for (let node = 1; node <= keyShardCount; node++) {
      if (node > 1) await pause(lighthouseConfig.keyNodePauseMs, undefined)
      const { message } = await callOne(node)
      if (message !== 'success') throw new CairnError('CHANGE_INCOMPLETE', { details: { node, message } })
    }
    return { isSuccess: true, error: null }
  } catch (error) {
    return { isSuccess: false, error: CairnError.from(error) }
  }
}

import { CairnError } from '@cairn/protocol'

const noError = (result: unknown) => new Error('Expected an error, got a result', { cause: result })

/** Returns the code of the error that `work` rejects with. Rejects if it succeeds, and with any error that is not ours. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    (result) => {
      throw noError(result)
    },
    (error: unknown) => readCode(error),
  )
}

/** Returns the code of the error that `work` throws. Throws if it returns, and any error that is not ours. */
export function thrownCodeOf(work: () => unknown): string {
  let result: unknown
  try {
    result = work()
  } catch (error) {
    return readCode(error)
  }
  throw noError(result)
}

function readCode(error: unknown): string {
  if (CairnError.is(error)) return error.code
  throw error
}

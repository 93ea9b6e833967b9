import { CairnError } from '@cairn/protocol'
import type { Dependency } from '@cairn/service'
import type { Provider, ProviderCall } from './provider.ts'

/**
 * Records answers and failures of a provider; an error answer counts as an answer. The caller of `ping` records its
 * result itself.
 */
export function watchProvider(provider: Provider, dependency: Dependency): Provider {
  const note = async <T>({ signal }: ProviderCall, asked: Promise<T>): Promise<T> => {
    try {
      const answer = await asked
      dependency.succeeded()
      return answer
    } catch (error) {
      noteError(dependency, error, signal)
      throw error
    }
  }
  const { lastProof, close } = provider
  return {
    ...provider,
    offer: (piece, source, call) => note(call, provider.offer(piece, source, call)),
    status: (piece, call) => note(call, provider.status(piece, call)),
    challenge: (piece, challenge, call) => note(call, provider.challenge(piece, challenge, call)),
    ...(lastProof === undefined
      ? {}
      : { lastProof: (piece, known, call) => note(call, lastProof.call(provider, piece, known, call)) }),
    async *retrieve(piece, range, call) {
      try {
        yield* provider.retrieve(piece, range, call)
        dependency.succeeded()
      } catch (error) {
        noteError(dependency, error, call.signal)
        throw error
      }
    },
    remove: (piece, call) => note(call, provider.remove(piece, call)),
    ...(close === undefined ? {} : { close: () => close.call(provider) }),
  }
}

function noteError(dependency: Dependency, error: unknown, signal: AbortSignal): void {
  // A service that is shutting down reports nothing about the provider, and neither does a call that was never sent.
  if (signal.aborted && signal.reason?.name !== 'TimeoutError') return
  if (CairnError.is(error, 'NOT_SUPPORTED')) return
  if (CairnError.is(error) && error.code !== 'UPSTREAM_FAILED') dependency.succeeded()
  else dependency.failed(error)
}

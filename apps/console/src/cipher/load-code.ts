import { CairnError } from '@cairn/sdk'

/**
 * Waits for code that a worker loads when it needs it.
 * @throws CairnError NETWORK_ERROR if it cannot be loaded
 */
export async function loadCode<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading
  } catch (cause) {
    throw new CairnError('NETWORK_ERROR', { cause })
  }
}

import { CairnError } from '@cairn/sdk'

/**
 * Waits for code that loads when it is first required.
 * @throws CairnError NETWORK_ERROR if it cannot be loaded
 */
export async function loadCode<T>(loading: Promise<T>): Promise<T> {
  try {
    return await loading
  } catch (cause) {
    throw new CairnError('NETWORK_ERROR', { cause })
  }
}

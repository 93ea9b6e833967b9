import type { TestNetwork } from '../fixtures.ts'
import type { ConsolePage } from './console.ts'

/**
 * Makes some key nodes unreachable for this browser, but not for the test itself.
 * @returns a function that restores them
 */
export async function stopNodes(
  { context, expectProblem }: Pick<ConsolePage, 'context' | 'expectProblem'>,
  { profile }: Pick<TestNetwork, 'profile'>,
  ...nodes: number[]
): Promise<() => Promise<void>> {
  expectProblem(/ERR_CONNECTION_REFUSED/)
  const urls = nodes.map((node) => `${profile.keyNodes?.[node - 1] ?? ''}/**`)
  for (const url of urls) await context.route(url, (route) => route.abort('connectionrefused'))
  return async () => {
    for (const url of urls) await context.unroute(url)
  }
}

/** What reads and signs records: loaded by those who use names, so that nobody else pays for its curve. */
export function loadTools(): Promise<typeof import('./name-tools.ts')> {
  return import('./name-tools.ts')
}

/** Loads the code that reads and signs records on demand, so that programs without names do not load its curve. */
export function loadTools(): Promise<typeof import('./name-tools.ts')> {
  return import('./name-tools.ts')
}

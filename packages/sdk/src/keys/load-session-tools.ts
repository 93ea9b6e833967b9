/** Loads the code that creates a session key and signs with it. */
export function loadSessionTools(): Promise<typeof import('./session-tools.ts')> {
  return import('./session-tools.ts')
}

/**
 * Programs of a network that run in their own processes. From sources these are the files of the services; a
 * bundle replaces each by its own file.
 */
export const programs = {
  keyNode: new URL('../../../../services/keynode/src/main.ts', import.meta.url),
  keyRouter: new URL('../../../../services/keynode/src/router/main.ts', import.meta.url),
  provider: new URL('../../../../services/provider/src/main.ts', import.meta.url),
}

import type { ErrorCode } from '@cairn/protocol'

declare module '@cairn/protocol' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be added to.
  interface CreatedErrors {
    all: ErrorCode
  }
}

import type { ErrorCode } from '@cairn/sdk'

declare module '@cairn/sdk' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface can be added to.
  interface CreatedErrors {
    all: ErrorCode
  }
}

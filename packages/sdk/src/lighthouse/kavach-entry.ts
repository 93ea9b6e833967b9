// A drop-in for the peer's published key client: `@cairn/sdk/kavach`. Set where it calls in `lighthouseConfig`, which
// `@cairn/sdk/lighthouse` shares.
import * as kavach from './kavach.ts'

export { lighthouseConfig } from './config.ts'
export * from './kavach.ts'

// biome-ignore lint/style/noDefaultExport: the module it stands in for is imported by default.
export default kavach

// A drop-in for the peer's published key client: `@cairn/sdk/kavach`. Set its hosts in `lighthouseConfig`, which
// `@cairn/sdk/lighthouse` shares.
import * as kavach from './kavach.ts'

export { lighthouseConfig } from './config.ts'
export * from './kavach.ts'

// biome-ignore lint/style/noDefaultExport: the published module has a default export.
export default kavach

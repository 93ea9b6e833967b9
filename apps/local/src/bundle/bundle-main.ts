// Builds the bundle of a network into the folder of its argument, and exits: the bundler uses 600 MiB, which the
// network would otherwise keep as long as it runs.
import { bundlePrograms, networkBundle } from './bundle-programs.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new TypeError('the folder of the bundle is missing')
await bundlePrograms(networkBundle, folder)

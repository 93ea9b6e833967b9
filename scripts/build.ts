// `npm run build`: the published packages as JavaScript and types, the web console, and a folder per service below `build/`
// that runs without an installation. In development, services and tests run from their sources.
import { buildConsole } from '@cairn/local'
import { buildPackages } from './published-packages.ts'
import { buildServices, serviceBundles } from './service-bundles.ts'

if (!buildPackages()) process.exit(1)
const consoleFolder = await buildConsole()
if (consoleFolder === undefined) throw new Error('the console cannot be built: vite is not installed')
await buildServices(consoleFolder)
process.stdout.write(`Built ${Object.keys(serviceBundles).join(', ')} in build/.\n`)

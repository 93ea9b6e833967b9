// `npm run build`: the published packages as JavaScript and types, and the web console. Services and tests run from their
// sources.
import { buildConsole } from '@cairn/local'
import { buildPackages } from './published-packages.ts'

if (!buildPackages()) process.exit(1)
await buildConsole()

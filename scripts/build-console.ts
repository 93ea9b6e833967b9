// Builds the web console if it is older than its sources.
import { buildConsole } from '@cairn/local'

await buildConsole()

// `npm run reconcile`: compares the books of a service, with the service's own settings, whether or not it runs.
import { parseArgs } from 'node:util'
import { continueWithoutReader, exitCodeOf, explainFailure, keepFilesPrivate } from '@cairn/service'
import pino from 'pino'
import { openAdminDatabase } from './admin/admin-context.ts'
import { readConfig } from './config.ts'
import { reconcile } from './payments/reconcile.ts'

const usage = `npm run reconcile

Compares limits with the ledger, used bytes with the uploads, uploads with their packs, and the ledger with payments and the
events of the chains. Prints one JSON document and changes no account. Uses the settings of the service.
Exit codes: 0 no findings, 1 findings or a failure, 2 invalid arguments, 78 invalid settings.`

/** Exit code for wrong arguments. */
const usageExitCode = 2

continueWithoutReader()
readArguments()
keepFilesPrivate()
try {
  const config = readConfig()
  await using db = await openAdminDatabase(config)
  const log = pino({ level: 'silent' })
  const report = await reconcile({ db, config, log, clock: { now: () => Date.now() } })
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
  process.exitCode = report.findings.length === 0 ? 0 : 1
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`)
  process.exitCode = exitCodeOf(error)
}

/** Ends the program with the usage if that was asked for, or if an argument is unknown. */
function readArguments(): void {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
    if (values.help !== true) return
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}\n`)
    process.exit(usageExitCode)
  }
}

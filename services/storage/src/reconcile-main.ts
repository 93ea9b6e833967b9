// `npm run reconcile`: compares the books of a service, with the service's own settings, whether or not it runs.
import pino from 'pino'
import { readConfig } from './config.ts'
import { openDatabase } from './db/database.ts'
import { reconcile } from './payments/reconcile.ts'

const config = readConfig()
await using db = await openDatabase(config.database)
const log = pino({ level: 'silent' })
const report = await reconcile({ db, config, log, clock: { now: () => Date.now() } })
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
process.exitCode = report.findings.length === 0 ? 0 : 1

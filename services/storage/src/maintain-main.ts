// `npm run storage:check`, `storage:repair` and `storage:recover`, with the service's own settings. See
// docs/operate/recover.md.
import { parseArgs } from 'node:util'
import { CairnError, normalizeAddress } from '@cairn/protocol'
import { continueWithoutReader, exitCodeOf, explainFailure, keepFilesPrivate } from '@cairn/service'
import { writeBigints } from '@cairn/service/admin'
import { readConfig } from './config.ts'
import {
  checkStore,
  type Outcome,
  type Report,
  recoverStore,
  repairStore,
  settleUnlisted,
} from './maintenance/maintain.ts'

const usage = `npm run storage:check   [-- --read-data <0 to 1>] [--json]
npm run storage:repair  [-- --json]
npm run storage:recover [-- --take-over] [--owner <address>] [--json]
npm run storage:recover  -- --unlisted [--discard <pack>…] [--json]

  --read-data   share of the packs to read and verify, 0 by default
  --take-over   assigns the pack folder to this database
  --owner       lists the recovered content for this account
  --unlisted    lists the recovered packs that have no owner, and recovers nothing
  --discard     discards such a pack, or all
  --json        one JSON object per line`

/** Exit code for wrong arguments. */
const usageExitCode = 2

keepFilesPrivate()
continueWithoutReader()
const isJson = process.argv.includes('--json')
try {
  const { isWell } = await run()
  process.exitCode = isWell ? 0 : 1
} catch (error) {
  const json = CairnError.is(error) ? JSON.stringify(error) : JSON.stringify({ message: String(error) })
  process.stderr.write(`${isJson ? json : explainFailure(error)}\n`)
  process.exitCode = CairnError.is(error, 'INVALID_REQUEST') ? usageExitCode : exitCodeOf(error)
}

async function run(): Promise<Outcome> {
  const { values, positionals } = readArguments()
  if (values.help) {
    process.stdout.write(`${usage}\n`)
    return { isWell: true }
  }
  const report: Report = (json, text) => {
    process.stdout.write(`${isJson ? JSON.stringify(json, writeBigints) : text}\n`)
  }
  switch (positionals.join(' ')) {
    case 'check':
      return checkStore(readConfig(), { readData: readPart(values['read-data']) }, report)
    case 'repair':
      return repairStore(readConfig(), report)
    case 'recover':
      if (values.unlisted) {
        if (values['take-over'] || values.owner !== undefined)
          throw wrongUse('--unlisted cannot be combined with --take-over or --owner')
        return settleUnlisted(readConfig(), values.discard, report)
      }
      if (values.discard.length > 0) throw wrongUse('--discard requires --unlisted')
      return recoverStore(readConfig(), { takeOver: values['take-over'], owner: readOwner(values.owner) }, report)
    default:
      throw wrongUse(`Unknown command "${positionals.join(' ')}"`)
  }
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        'read-data': { type: 'string', default: '0' },
        'take-over': { type: 'boolean', default: false },
        owner: { type: 'string' },
        unlisted: { type: 'boolean', default: false },
        discard: { type: 'string', multiple: true, default: [] },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
  } catch (cause) {
    throw wrongUse(cause instanceof Error ? cause.message : 'The arguments are not valid')
  }
}

function readPart(text: string): number {
  const part = Number(text)
  if (!(part >= 0 && part <= 1)) throw wrongUse(`--read-data must be a number from 0 to 1, but is ${text}`)
  return part
}

function readOwner(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const address = normalizeAddress(text)
  if (address === '') throw wrongUse(`--owner must be a wallet address, but is ${text}`)
  return address
}

function wrongUse(message: string): CairnError {
  return new CairnError('INVALID_REQUEST', { message, hint: usage })
}

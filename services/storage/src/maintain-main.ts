// `npm run storage:check`, `storage:repair` and `storage:recover`, with the service's own settings. docs/operate/recover.md
// tells when.
import { parseArgs } from 'node:util'
import { CairnError, normalizeAddress } from '@cairn/protocol'
import { exitCodeOf, explainFailure, keepFilesPrivate } from '@cairn/service'
import { readConfig } from './config.ts'
import { checkStore, type Outcome, recoverStore, repairStore, type Tell } from './maintenance/maintain.ts'

const usage = `npm run storage:check   [-- --read-data <0 to 1>] [--json]
npm run storage:repair  [-- --json]
npm run storage:recover [-- --take-over] [--owner <address>] [--json]

  --read-data   part of the packs whose bytes are read and verified, 0 unless given
  --take-over   gives the pack folder to this database, whichever it belonged to
  --owner       lists what was taken in for this account
  --json        one JSON object per line`

/** As of the command line: the arguments are wrong. */
const usageExitCode = 2

keepFilesPrivate()
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
  const tell: Tell = (json, text) => {
    process.stdout.write(`${isJson ? JSON.stringify(json, writeBigints) : text}\n`)
  }
  switch (positionals.join(' ')) {
    case 'check':
      return checkStore(readConfig(), { readData: readPart(values['read-data']) }, tell)
    case 'repair':
      return repairStore(readConfig(), tell)
    case 'recover':
      return recoverStore(readConfig(), { takeOver: values['take-over'], owner: readOwner(values.owner) }, tell)
    default:
      throw wrongUse(`There is no command "${positionals.join(' ')}"`)
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
        json: { type: 'boolean', default: false },
      },
    })
  } catch (cause) {
    throw wrongUse(cause instanceof Error ? cause.message : 'The arguments cannot be read')
  }
}

function readPart(text: string): number {
  const part = Number(text)
  if (!(part >= 0 && part <= 1)) throw wrongUse(`--read-data is ${text}, not a number from 0 to 1`)
  return part
}

function readOwner(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const address = normalizeAddress(text)
  if (address === '') throw wrongUse(`--owner is ${text}, not an address of a wallet`)
  return address
}

function wrongUse(message: string): CairnError {
  return new CairnError('INVALID_REQUEST', { message, hint: usage })
}

/** Ids of packs pass what a number of JSON holds. */
function writeBigints(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

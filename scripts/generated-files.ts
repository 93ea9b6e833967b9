import { keyNodeSettings, keyRouterSettings } from '@cairn/keynode'
import { allCalls, commonErrors, type ErrorCode, errorTable, listFacts } from '@cairn/protocol'
import { toOpenApi } from '@cairn/protocol/openapi'
import { providerSettings } from '@cairn/provider'
import { settings } from '@cairn/storage'
import { printIcons } from '../apps/console/print-icons.ts'
import { generateContractFiles } from '../packages/contracts/src/compile-contracts.ts'
import { serviceVersion } from '../services/storage/src/service/service-version.ts'
import { printCalls } from './print-calls.ts'
import { printServiceErrors } from './print-service-errors.ts'

/** Returns every file that is generated from the source, by its path in the project. */
export function generatedFiles(): Record<string, string> {
  const { abis, bytecodes, source } = generateContractFiles()
  const icons = mapKeys(printIcons(), (name) => `apps/console/src/generated/icons/${name}`)
  return {
    'packages/contracts/src/generated/abis.ts': abis,
    'packages/contracts/src/generated/bytecodes.ts': bytecodes,
    'packages/contracts/src/generated/source.ts': source,
    'packages/protocol/src/errors/service-errors.browser.ts': printServiceErrors(),
    ...icons,
    'docs/configuration.md': printConfiguration(),
    'docs/errors.md': printErrors(),
    'docs/http-calls.md': `${notice}\n\n${printCalls(allCalls)}`,
    'docs/openapi.json': printOpenApi(),
  }
}

function printOpenApi(): string {
  const note = 'Printed by `npm run generate`. Change the source, not this document.'
  return `${JSON.stringify({ ...toOpenApi({ version: serviceVersion }), 'x-generated': note }, undefined, 2)}\n`
}

const notice = '<!-- Printed by `npm run generate`. Change the source, not this page. -->'

function printSettings(record: Record<string, { about: string; fallback: string }>): string {
  const rows = Object.entries(record).map(
    ([name, { about, fallback }]) => `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${cell(about)} |`,
  )
  return `| setting | default | description |\n|---|---|---|\n${rows.join('\n')}`
}

function printConfiguration(): string {
  return `${notice}

# Settings

Settings are environment variables. Each can also be read from a file: set \`NAME_FILE\` to the file that contains the value. If a \`CAIRN_\` variable is invalid or unknown, the service does not start, and lists all such variables.

If a service cannot start, it prints the reason and what to do. The exit code is 78 if the operator has to act (a wrong setting, a port or folder in use, a [store that needs recovery](operate/recover.md)), and 1 if another attempt may succeed. Every file that a service creates is readable only by its owner.

\`npm start\` reads the same settings, with different defaults for a local network: 100 GiB per account, no limit on the free storage of all accounts together, rate limits 1,000 times as high, and log level \`warn\`.

## Storage and gateway

\`npm run storage\` starts the service. \`npm run build\` creates a folder that runs without an installation ([operate/deploy.md](operate/deploy.md)).

${printSettings(settings)}

## Key node

\`npm run keynode\` starts a key node. A network has five, each with its own number, folder and secret.

${printSettings(keyNodeSettings)}

## Key router

\`npm run keyrouter\` starts the router.

${printSettings(keyRouterSettings)}

## Storage provider

\`npm run provider\` starts a provider ([provider.md](provider.md)). A network has any number of them, each with its own folder and secret.

${printSettings(providerSettings)}
`
}

function printErrors(): string {
  const callsByCode = new Map<ErrorCode, Set<string>>()
  for (const call of allCalls) {
    for (const code of call.errors) callsByCode.set(code, (callsByCode.get(code) ?? new Set<string>()).add(call.id))
  }
  const common = new Set<ErrorCode>(commonErrors)
  const print = ([code, row]: [string, { status: number; message: string; hint: string; retry: boolean }]) => {
    const known = code as ErrorCode
    const where = common.has(known) ? 'every call' : [...(callsByCode.get(known) ?? [])].join(', ')
    return `| \`${code}\` | ${row.status || ''} | ${cell(row.message)} | ${cell(row.hint)} | ${row.retry ? 'yes' : ''} | ${printDetails(known)} | ${where} |`
  }
  const entries = Object.entries(errorTable)
  const table = (rows: typeof entries) =>
    `| code | status | message | what to do | retry | details | calls |\n|---|---|---|---|---|---|---|\n${rows.map(print).join('\n')}`
  return `${notice}

# Errors

Look up an error by its code. Where to find the code:

- Services send it in the header \`X-Cairn-Code\` and, if the format of the body allows it, in \`code\`. The header \`X-Request-Id\` identifies the request in the service's log.
- The SDK throws a \`CairnError\` with the code.
- The command line prints it in brackets after the message, and in \`code\` with \`--json\`.

\`details\` contains facts for programs, such as sizes in bytes, durations in milliseconds, and times in milliseconds since 1970. If the format of the body allows it, every error has the details that are not marked as optional. Any error of a request may have \`issues\` (fields, and the problem with each). The SDK may add \`offsetBytes\` (bytes sent so far) and \`successor\` (a CID) to any error.

## Errors of services

${table(entries.filter(([, row]) => row.status !== 0))}

## Errors of clients

${table(entries.filter(([, row]) => row.status === 0))}
`
}

/** Types of facts, by their marks in the table of errors. */
const factTypes: Readonly<Record<string, string>> = {
  '': 'text',
  '#': 'number',
  '[]': 'texts',
  '#[]': 'numbers',
  '{}': 'facts',
  '{}[]': 'list of facts',
  '@': 'nodes',
  '!': 'issues',
}

/** Prints the facts of an error with their types. */
function printDetails(code: ErrorCode): string {
  return listFacts(code)
    .map(({ name, mark, isRequired }) => `\`${name}\` (${factTypes[mark]}${isRequired ? '' : ', optional'})`)
    .join(', ')
}

function mapKeys(record: Record<string, string>, toKey: (key: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [toKey(key), value]))
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

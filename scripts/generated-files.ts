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
    'packages/protocol/src/service-errors.browser.ts': printServiceErrors(),
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

Settings are variables of the environment. Each can also be read from a file: \`NAME_FILE\` names the file that contains the value. A service that finds an invalid or unknown \`CAIRN_\` variable does not start, and names all of them.

If a service cannot start, it prints one sentence and what to do. Its exit code is 78 if an operator has to act (a wrong setting, a port or folder in use, a [store that needs recovery](operate/recover.md)), and 1 if another attempt may succeed. Every file that a service makes is readable by its owner alone.

\`npm start\` reads the same settings, with other defaults for a local network: 100 GiB per account, no limits on the free storage of all accounts, 1,000 times the rates, log level \`warn\`.

## Storage and gateway

\`npm run storage\` starts the service, \`npm run build\` makes a folder that starts without an installation ([operate/deploy.md](operate/deploy.md)).

${printSettings(settings)}

## Key node

A network has five key nodes, each with a number, a folder and a secret of its own: \`npm run keynode\`.

${printSettings(keyNodeSettings)}

## Key router

\`npm run keyrouter\`.

${printSettings(keyRouterSettings)}

## Storage provider

A network has any number of providers, each with a folder and a secret of its own: \`npm run provider\` ([provider.md](provider.md)).

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
    `| code | status | message | what to do | try again | details | calls |\n|---|---|---|---|---|---|---|\n${rows.map(print).join('\n')}`
  return `${notice}

# Errors

Every error has one of these codes. Services send it in the header \`X-Cairn-Code\` and, if the format of the body allows it, in \`code\`; the header \`X-Request-Id\` names the request in the service's log. The SDK throws a \`CairnError\` with it, the command line prints it in brackets after the message, and in \`code\` with \`--json\`. \`details\` has facts for programs; every error has those that are not optional, if the format of the body allows it: numbers of bytes and milliseconds, times in milliseconds since 1970. Any error of a request may have \`issues\` (fields and what is wrong with each). The SDK may add \`offsetBytes\` (bytes sent so far) and \`successor\` (a CID) to any error.

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

import { CairnError } from '@cairn/sdk'
import { announceOption } from '../arguments/announce-option.ts'
import { type Command, type CommandContext, flag, type Options } from '../command.ts'
import { importArchive } from './import-archive.ts'
import { importContent } from './import-content.ts'
import { openSource, sourceWords } from './import-sources.ts'

/** Options of the imports of content, which the import of an exported account does not have. */
const contentOptions = {
  gateway: {
    type: 'string',
    multiple: true,
    about: 'trustless gateway that has the content; repeat it for several',
    value: 'url',
  },
  state: { type: 'string', about: 'file with the progress (<source>.import.jsonl in this folder)', value: 'file' },
  'dry-run': { type: 'boolean', about: 'list the items with their sizes, and import nothing' },
  parallel: { type: 'string', about: 'items at a time, 1 to 32 (4)', value: 'count' },
  encrypted: { type: 'boolean', about: 'mark all content as encrypted' },
  endpoint: { type: 'string', about: 's3: address of the service (AWS_ENDPOINT_URL_S3, else AWS)', value: 'url' },
  region: { type: 'string', about: 's3: region (AWS_REGION)', value: 'name' },
  source: { type: 'string', about: 'address of the service: required for pins', value: 'url' },
  'source-key-file': {
    type: 'string',
    about: 'key of the service (LIGHTHOUSE_API_KEY, PINATA_JWT, PINNING_SERVICE_TOKEN)',
    value: 'file',
  },
  wallet: { type: 'boolean', about: 'lighthouse: save the file keys of your wallet on the key nodes here' },
  'source-keys': { type: 'string', about: 'lighthouse: address of its key nodes', value: 'url' },
  roots: { type: 'string', about: 'cars: list of root CIDs with names', value: 'file' },
} as const

/** Options of the import of an exported account, which imports of content do not have. */
const archiveOptions = {
  announce: announceOption('account: announce its plain content to public indexers, IPNI (off)'),
} as const

export const importCommand: Command = {
  name: 'import',
  summary: 'Import an exported account, or content from other services',
  usage: '<folder> | cids <list> | cars <path>... | s3://<bucket>/<prefix> | lighthouse | pinata | pins',
  arity: [1, Number.POSITIVE_INFINITY],
  words: sourceWords,
  options: { ...contentOptions, ...archiveOptions },
  examples: [
    'cairn import ./backup',
    'cairn import cids list.csv --gateway https://ipfs.io --dry-run',
    'cairn import cars storacha-export/',
    'cairn import lighthouse --wallet',
    'cairn import s3://pictures/2024/ --endpoint https://s3.example.com',
  ],
  async run(context) {
    const [first = ''] = context.args
    const source = openSource(context, first)
    if (source !== undefined) {
      rejectOptions(context, archiveOptions, {
        what: 'the import of content',
        hint: 'The network decides whether content is announced.',
      })
      return importContent(context, source)
    }
    requireArchiveArguments(context)
    return importArchive(context, first)
  },
}

function requireArchiveArguments(context: CommandContext): void {
  const { args } = context
  if (args.length > 1) {
    throw new CairnError('USAGE', {
      message: `import does not accept the argument ${JSON.stringify(args[1])}`,
      hint: 'To import CARs, use cairn import cars <path>...',
    })
  }
  rejectOptions(context, contentOptions, {
    what: 'an exported account',
    hint: `Name a source: ${sourceWords.join(', ')} or s3://<bucket>.`,
  })
}

function rejectOptions(
  { values }: CommandContext,
  options: Options,
  { what, hint }: { what: string; hint: string },
): void {
  const option = Object.keys(options).find((name) => values[name] !== undefined || flag(values, name))
  if (option !== undefined) throw new CairnError('USAGE', { message: `--${option} does not apply to ${what}`, hint })
}

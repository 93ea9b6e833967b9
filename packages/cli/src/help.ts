import type { Command, Options } from './command.ts'

/** Options of every command. */
export const globalOptions = {
  json: { type: 'boolean', about: 'print one JSON document per line' },
  network: { type: 'string', about: 'network profile: a file or URL', value: 'where' },
  'api-key-file': { type: 'string', about: 'file that contains the API key', value: 'path' },
  'password-stdin': { type: 'boolean', about: 'read passwords from standard input, one per line' },
  quiet: { type: 'boolean', short: 'q', about: 'print only results' },
  'no-color': { type: 'boolean', about: 'disable colours' },
  help: { type: 'boolean', short: 'h', about: 'show this help' },
} as const satisfies Options

function describe(options: Options): string {
  return Object.entries(options)
    .map(([name, option]) => {
      const left = `  ${option.short === undefined ? '    ' : `-${option.short}, `}--${name}${option.value === undefined ? '' : ` <${option.value}>`}`
      return `${left.padEnd(32)}${option.about}`
    })
    .join('\n')
}

export function describeCommand(command: Command): string {
  const usage = ['cairn', [command.name, ...(command.aliases ?? [])].join('|'), command.usage].join(' ').trimEnd()
  const own = command.options === undefined ? '' : `\n\nOptions:\n${describe(command.options)}`
  const examples = command.examples.map((line) => `  ${line}`).join('\n')
  return `${command.summary}.\n\nUsage: ${usage}${own}\n\nGlobal options:\n${describe(globalOptions)}\n\nExamples:\n${examples}`
}

export function describeAll(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2
  const list = commands.map((command) => `  ${command.name.padEnd(width)}${command.summary}`).join('\n')
  return `cairn: store files by content, read them anywhere.\n\nUsage: cairn <command> …\n\n${list}\n\nGlobal options:\n${describe(globalOptions)}\n\nRun \`cairn <command> --help\` for the options of a command.`
}

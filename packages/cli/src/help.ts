import type { Command, Options } from './command.ts'

/** Options that every command takes. */
export const globalOptions = {
  json: { type: 'boolean', about: 'one JSON document a line, for programs' },
  network: { type: 'string', about: 'profile of the network: a file or URL', value: 'where' },
  'api-key-file': { type: 'string', about: 'file that holds the API key', value: 'path' },
  'password-stdin': { type: 'boolean', about: 'passwords from standard input, a line each' },
  quiet: { type: 'boolean', short: 'q', about: 'results only' },
  'no-color': { type: 'boolean', about: 'no colours' },
  help: { type: 'boolean', short: 'h', about: 'this help' },
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
  const own = command.options === undefined ? '' : `\n\nOptions:\n${describe(command.options)}`
  const examples = command.examples.map((line) => `  ${line}`).join('\n')
  return `${command.summary}.\n\nUsage: cairn ${[command.name, ...(command.aliases ?? [])].join('|')} ${command.usage}${own}\n\nEverywhere:\n${describe(globalOptions)}\n\nExamples:\n${examples}`
}

export function describeAll(commands: readonly Command[]): string {
  const list = commands.map((command) => `  ${command.name.padEnd(12)}${command.summary}`).join('\n')
  return `cairn: store files by content, read them anywhere.\n\nUsage: cairn <command> …\n\n${list}\n\nEverywhere:\n${describe(globalOptions)}\n\n\`cairn <command> --help\` tells more.`
}

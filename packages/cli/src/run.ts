import { parseArgs } from 'node:util'
import { CairnError } from '@cairn/sdk'
import { flag, type Options, text, type Values } from './command.ts'
import { commands } from './commands.ts'
import type { Environment } from './environment.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { describeAll, describeCommand, globalOptions } from './help.ts'
import { createOutput } from './output.ts'
import { createPrompt } from './prompt.ts'
import { createSession } from './session.ts'
import { createState } from './state.ts'

export const version = '0.1.0'

/** Streams of the process; tests bring their own. */
export type Streams = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream; stderr: NodeJS.WriteStream }

type Parsed = { values: Values; args: string[] }

function parse(argv: string[], options: Options): Parsed {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true, strict: true })
    return { values, args: positionals }
  } catch (cause) {
    throw new CairnError('USAGE', {
      message: cause instanceof Error ? cause.message : 'The options are not valid',
      cause,
    })
  }
}

/** Runs one command line and answers the exit code. It throws nothing. */
export async function run(
  argv: string[],
  environment: Environment,
  { stdin, stdout, stderr }: Streams,
  signal: AbortSignal,
): Promise<number> {
  const [name = '', ...rest] = argv
  const wants = (option: string) => argv.includes(`--${option}`)
  const settings = {
    stdout,
    stderr,
    json: wants('json'),
    quiet: wants('quiet') || argv.includes('-q'),
    color: !environment.noColor && !wants('no-color'),
  }
  const output = createOutput(settings)
  try {
    if (name === '--version' || name === 'version') {
      output.result({ version }, version)
      return exitCodes.ok
    }
    if (name === '' || name === 'help' || name === '--help' || name === '-h') {
      const about = commands.find((command) => command.name === rest[0])
      output.result(
        { commands: commands.map((command) => command.name) },
        about === undefined ? describeAll(commands) : describeCommand(about),
      )
      return name === '' ? exitCodes.usage : exitCodes.ok
    }
    const command = commands.find((one) => one.name === name)
    if (command === undefined)
      throw new CairnError('USAGE', {
        message: `There is no command ${JSON.stringify(name)}`,
        hint: 'See cairn --help.',
      })
    const { values, args } = parse(rest, { ...globalOptions, ...command.options })
    if (flag(values, 'help')) {
      output.result({ name: command.name, usage: command.usage }, describeCommand(command))
      return exitCodes.ok
    }
    const [least, most] = command.arity
    if (args.length < least || args.length > most) {
      throw new CairnError('USAGE', {
        message: `Usage: cairn ${command.name} ${command.usage}`,
        hint: `See cairn ${command.name} --help.`,
      })
    }
    const state = createState(environment.configFolder)
    const session = createSession({
      network: text(values, 'network'),
      apiKeyFile: text(values, 'api-key-file'),
      environment,
      state,
      output,
    })
    const prompt = createPrompt(environment, stdin, stderr)
    await command.run({ args, values, output, prompt, state, session, environment, signal, stdin })
    return exitCodes.ok
  } catch (error) {
    if (signal.aborted) return exitCodes.interrupted
    output.error(CairnError.from(error))
    return exitCodeOf(error)
  }
}

import { CairnError } from '@cairn/sdk'
import type { Command, Options } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** Generates the completion script of a shell from the commands. */
export function completionScript(shell: string, commands: readonly Command[], globals: Options): string {
  if (shell === 'bash') return bash(commands, globals)
  if (shell === 'zsh') return `#compdef cairn\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands, globals)}`
  if (shell === 'fish') return fish(commands, globals)
  throw new CairnError('USAGE', { message: `Unsupported shell ${shell}`, hint: `Use one of ${shells.join(', ')}.` })
}

function namesOf(command: Command): string[] {
  return [command.name, ...(command.aliases ?? [])]
}

function optionsOf(command: Command, globals: Options): Options {
  return { ...command.options, ...globals }
}

/** Returns the completions after an option: its choices, files, or none; undefined for a switch. */
function valuesOf({ type, value, choices }: Options[string]): { words: readonly string[]; files: boolean } | undefined {
  if (type === 'boolean') return undefined
  return { words: choices ?? [], files: value === 'file' || value === 'path' || value === 'where' }
}

/** Returns the forms of an option on the command line. */
function formsOf(name: string, { short }: Options[string]): string[] {
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]
}

/** Generates the cases of a shell for the option values of a command. */
function valueCases(options: Options, indent: string): string[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const values = valuesOf(option)
    if (values === undefined) return []
    const files = values.files ? ' $(compgen -f -- "$current")' : ''
    const offered = `COMPREPLY=($(compgen -W "${values.words.join(' ')}" -- "$current")${files})`
    return [`${indent}${formsOf(name, option).join('|')}) ${offered}; return ;;`]
  })
}

function bash(commands: readonly Command[], globals: Options): string {
  const cases = commands.map((command) => {
    const options = optionsOf(command, globals)
    const names = Object.keys(options).map((name) => `--${name}`)
    const words = `options="${names.join(' ')}"; words="${(command.words ?? []).join(' ')}"`
    const values = valueCases(options, '        ')
    return `    ${namesOf(command).join('|')}) ${words}\n      case "$previous" in\n${values.join('\n')}\n      esac ;;`
  })
  const withValue = Object.entries(globals).flatMap(([name, option]) =>
    valuesOf(option) === undefined ? [] : formsOf(name, option),
  )
  return `_cairn() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" options="" words="" command="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      ${withValue.join('|')}) at=$((at + 1)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  if [ -z "$command" ]; then
    case "$previous" in
${valueCases(globals, '      ').join('\n')}
    esac
    case "$current" in
      -*) COMPREPLY=($(compgen -W "${Object.keys(globals)
        .map((name) => `--${name}`)
        .join(' ')}" -- "$current")) ;;
      *) COMPREPLY=($(compgen -W "${commands.flatMap(namesOf).join(' ')}" -- "$current")) ;;
    esac
    return
  fi
  case "$command" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _cairn cairn`
}

function fish(commands: readonly Command[], globals: Options): string {
  const within = (command: Command) => `'__fish_seen_subcommand_from ${namesOf(command).join(' ')}'`
  const lines = commands.flatMap((command) => [
    ...namesOf(command).map(
      (name) => `complete -c cairn -n __fish_use_subcommand -a ${name} -d '${command.summary.replaceAll("'", "\\'")}'`,
    ),
    ...Object.entries(optionsOf(command, globals)).map(([name, option]) => {
      const values = valuesOf(option)
      const value = values === undefined ? '' : `${values.files ? ' -r' : ' -x'} -a '${values.words.join(' ')}'`
      return `complete -c cairn -n ${within(command)} -l ${name}${option.short === undefined ? '' : ` -s ${option.short}`}${value}`
    }),
    ...(command.words ?? []).map((word) => `complete -c cairn -n ${within(command)} -a ${word}`),
  ])
  return lines.join('\n')
}

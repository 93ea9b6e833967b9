import { CairnError } from '@cairn/sdk'
import type { Command } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** The completion script of a shell, made from the commands. */
export function completionScript(shell: string, commands: readonly Command[], globals: readonly string[]): string {
  if (shell === 'bash') return bash(commands, globals)
  if (shell === 'zsh') return `#compdef cairn\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands, globals)}`
  if (shell === 'fish') return fish(commands, globals)
  throw new CairnError('USAGE', { message: `No completion for ${shell}`, hint: `There is ${shells.join(', ')}.` })
}

function namesOf(command: Command): string[] {
  return [command.name, ...(command.aliases ?? [])]
}

function optionsOf(command: Command, globals: readonly string[]): string[] {
  return [...Object.keys(command.options ?? {}).map((name) => `--${name}`), ...globals.map((name) => `--${name}`)]
}

function bash(commands: readonly Command[], globals: readonly string[]): string {
  const cases = commands.map(
    (command) =>
      `    ${namesOf(command).join('|')}) options="${optionsOf(command, globals).join(' ')}"; words="${(command.words ?? []).join(' ')}" ;;`,
  )
  return `_cairn() {
  local current="\${COMP_WORDS[COMP_CWORD]}" options="" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.flatMap(namesOf).join(' ')}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _cairn cairn`
}

function fish(commands: readonly Command[], globals: readonly string[]): string {
  const within = (command: Command) => `'__fish_seen_subcommand_from ${namesOf(command).join(' ')}'`
  const lines = commands.flatMap((command) => [
    ...namesOf(command).map(
      (name) => `complete -c cairn -n __fish_use_subcommand -a ${name} -d '${command.summary.replaceAll("'", "\\'")}'`,
    ),
    ...optionsOf(command, globals).map((option) => `complete -c cairn -n ${within(command)} -l ${option.slice(2)}`),
    ...(command.words ?? []).map((word) => `complete -c cairn -n ${within(command)} -a ${word}`),
  ])
  return lines.join('\n')
}

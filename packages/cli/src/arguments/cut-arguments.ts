const maxCharacters = 100

/**
 * Returns a function that shortens the long arguments that a text quotes: an argument passed by mistake may be a whole file, and
 * would hide the error.
 */
export function cutArguments(argv: readonly string[]): (text: string) => string {
  const long = argv
    .flatMap((argument) => [argument, ...optionValue(argument)])
    .filter((argument) => argument.length > maxCharacters)
    .toSorted((a, b) => b.length - a.length)
  const cuts = long.flatMap((argument) => {
    const short = `${argument.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '')}…`
    // As it is, in quotes or in JSON, and in quotes in JSON.
    return [
      [argument, short],
      [escaped(argument), escaped(short)],
      [escaped(escaped(argument)), escaped(escaped(short))],
    ] as const
  })
  return (text) => cuts.reduce((cut, [argument, short]) => cut.replaceAll(argument, () => short), text)
}

/** The value of an option that is written as one word. */
function optionValue(argument: string): string[] {
  const at = argument.startsWith('--') ? argument.indexOf('=') : -1
  return at === -1 ? [] : [argument.slice(at + 1)]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

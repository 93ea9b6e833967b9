import { relative, resolve } from 'node:path'

const defaultFolder = '.cairn'

/** Returns the home folder of an environment. An empty value counts as missing, as it does for clients. */
export function networkHome(environment: Record<string, string | undefined>): string {
  return resolve(environment['CAIRN_HOME'] || defaultFolder)
}

/** Returns the command line for a shell in the current folder, which finds a network in `.cairn` without help. */
export function commandFor(home: string): string {
  const folder = relative('', home) || home
  return `${folder === defaultFolder ? '' : `CAIRN_HOME=${quote(folder)} `}npm run cairn --`
}

/** Quotes anything that a shell would not read as one word. */
function quote(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

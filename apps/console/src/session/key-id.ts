/** Returns the id by which lists name an API key; undefined if the text is not an API key. */
export function keyIdOf(apiKey: string): string | undefined {
  return /^cairn_([0-9a-z]+)_/.exec(apiKey)?.[1]
}

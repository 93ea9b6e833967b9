/** Returns the id of an API key, which lists name it by; undefined if the text is no API key. */
export function keyIdOf(apiKey: string): string | undefined {
  return /^cairn_([0-9a-z]+)_/.exec(apiKey)?.[1]
}

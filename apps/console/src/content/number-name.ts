/**
 * Returns the name, with a number before its extension if it is taken.
 * @example numberName('a.txt', (name) => name === 'a.txt') // 'a (2).txt'
 */
export function numberName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name
  const dot = name.lastIndexOf('.')
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let count = 2; ; count++) {
    const numbered = `${stem} (${count})${end}`
    if (!isTaken(numbered)) return numbered
  }
}

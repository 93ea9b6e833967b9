/**
 * Parses separated values with quoted fields. A semicolon separates if the first line has more of them than commas.
 * @param isCut whether more text follows: the last row may then be a part, and is omitted
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function parseTable(text: string, separator: ',' | '\t', isCut: boolean): string[][] {
  const line = text.split('\n', 1)[0] ?? ''
  const between = separator === ',' && line.split(';').length > line.split(',').length ? ';' : separator
  const rows: string[][] = []
  let row: string[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length) {
    const [field, end] = readField(text, at, between)
    row.push(field)
    if (text[end] === between) {
      at = end + 1
      if (at < text.length) continue
      row.push('')
    } else at = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  if (isCut && !text.endsWith('\n')) rows.pop()
  return rows
}

/** Returns a field and the position after it. Quotes that are not closed end with the text. */
function readField(text: string, start: number, between: string): [string, number] {
  if (text[start] !== '"') return readRest(text, start, between)
  let field = ''
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return [field + text.slice(at), text.length]
    field += text.slice(at, quote)
    if (text[quote + 1] !== '"') {
      // Text after a closed quote belongs to the field.
      const [rest, end] = readRest(text, quote + 1, between)
      return [field + rest, end]
    }
    field += '"'
    at = quote + 2
  }
}

function readRest(text: string, start: number, between: string): [string, number] {
  let end = start
  while (end < text.length && text[end] !== between && text[end] !== '\n' && text[end] !== '\r') end++
  return [text.slice(start, end), end]
}

/** Number of rows from which column widths are computed. */
const measuredRows = 200
export const maxColumns = 200

/**
 * Returns a width per column by its longest value, within limits, and whether there are more columns than are shown. A column may
 * start below the measured rows.
 */
export function columnWidths(rows: readonly (readonly string[])[]): { widths: string[]; isCut: boolean } {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const chars = Array.from({ length: Math.min(count, maxColumns) }, () => 0)
  for (const row of rows.slice(0, measuredRows)) {
    for (const [at, value] of row.slice(0, maxColumns).entries()) {
      chars[at] = Math.max(chars[at] ?? 0, Math.min(40, value.length))
    }
  }
  // Equal shares would make each column as wide as the widest.
  const widths = chars.map((most) => Math.max(6, most) + 4).map((most) => `minmax(${most}ch, ${most}fr)`)
  return { widths, isCut: count > maxColumns }
}

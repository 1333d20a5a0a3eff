/** Prints records as `{"items": […]}` or as aligned columns, the last of which runs free. */
export function printItems<T>(
  items: readonly T[],
  json: boolean | undefined,
  cells: (item: T) => string[],
): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ items })}\n`)
    return
  }
  const rows = items.map(cells)
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
}

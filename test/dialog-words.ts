/**
 * Returns the text of the part that has the keys: of a dialog the text inside its frame, without the page beside it.
 */
export function wordsOf(frame: string): string {
  const rows = frame.split('\n')
  const top = rows.findLastIndex(row => /\S.*╭▌/.test(row))
  const [from, to] = [rows[top]?.indexOf('╭▌') ?? 0, rows[top]?.lastIndexOf('╮') ?? 0]
  const bottom = rows.findIndex((row, at) => at > top && row[from] === '╰')
  const dialog = rows.slice(top, bottom + 1).map(row => row.slice(from, to + 1))
  const shown = top < 0 || bottom < 0 ? frame : [...rows.slice(0, top), ...dialog, rows.at(-1)].join('\n')
  return shown.replaceAll(/[\s│┃]+/g, ' ')
}

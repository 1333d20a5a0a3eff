/** A row of a frame, one entry a column; a wide character is followed by an empty entry. */
type Row = readonly string[]
type Frame = { rows: readonly Row[]; edges: readonly number[] }

const CELL = { width: 9, height: 17 }

/** The content of a picture of the dashboard: its texts, and the columns of the edges of panes. */
export function frameOf(svg: string): Frame {
  const [width, height] = ['width', 'height'].map(name =>
    Number(new RegExp(`<svg[^>]* ${name}="(\\d+)"`).exec(svg)![1]),
  )
  const columns = Math.round((width! - 2 * CELL.width) / CELL.width)
  const rows = Array.from({ length: Math.round((height! - 2 * CELL.width) / CELL.height) }, () =>
    Array.from({ length: columns }, () => ' '),
  )
  for (const [, x, y, text] of svg.matchAll(/<text x="([\d. ]+)"[^>]* y="(\d+)"[^>]*>([^<]*)</g)) {
    const starts = x!.split(' ').map(each => Math.round(Number(each) / CELL.width))
    const row = rows[Math.floor(Number(y) / CELL.height)]!
    ;[...plain(text!)].forEach((letter, index) => (row[starts[index] ?? starts[0]! + index] = letter))
  }
  const lines = [...svg.matchAll(/M([\d.]+) ([\d.]+)V([\d.]+)/g)].map(([, x, from, to]) => ({
    column: Math.floor(Number(x) / CELL.width),
    rows: (Number(to) - Number(from)) / CELL.height,
  }))
  const edges = new Set(lines.filter(each => each.rows > rows.length / 2).map(({ column }) => column))
  return { rows, edges: [...edges].toSorted((one, other) => one - other) }
}

function plain(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** The text of a pane between its edges, and the rows that cut off a text before a column or the edge. */
type Pane = { width: number; rows: readonly string[]; cut: readonly string[] }

function panesOf({ rows, edges }: Frame): Pane[] {
  return edges.slice(0, -1).flatMap((left, index) => {
    const right = edges[index + 1]!
    // Two adjacent edges belong to panes that do not share one.
    if (right - left < 3) return []
    const inside = rows.slice(3, -2).map(row => row.slice(left + 1, right).join(''))
    const used = inside.filter(text => text.trim() !== '')
    return [{ width: right - left - 1, rows: used, cut: used.filter(text => /…(?= |$)/.test(text)) }]
  })
}

/** Widths that a list keeps for its title, and a text beside others: with two other panes, and with one. */
const LEAST = { three: 48, two: 60 }
/** Blank columns that separate columns, and the longest word that a column may wait for. */
const BETWEEN = 8

/**
 * Returns a sentence for each text that is cut off although its row is blank elsewhere, or a neighbour ends in blank
 * columns.
 */
export function needlessCuts(frame: Frame): string[] {
  const panes = panesOf(frame)
  const least = panes.length > 2 ? LEAST.three : LEAST.two
  return panes.flatMap(({ cut }, index) => {
    const [first] = cut
    if (first === undefined) return []
    const giving = panes.find(({ width, rows }, other) => {
      const blank = Math.min(...rows.map(text => text.length - text.trimEnd().length))
      return other !== index && Math.min(blank - 2, width - least) > 2
    })
    const own = blankRun(cut)
    return [
      ...(giving ? [`"${first.trim()}" is cut beside a pane that ends in blank columns`] : []),
      ...(own > BETWEEN ? [`"${first.trim()}" is cut beside ${own} blank columns of its row`] : []),
    ]
  })
}

/** The longest run of columns in which all rows are blank or show a dash. */
function blankRun(rows: readonly string[]): number {
  const width = Math.max(...rows.map(({ length }) => length))
  let [longest, run] = [0, 0]
  for (let column = 0; column < width; column += 1) {
    run = rows.every(row => /[ —]/.test(row[column] ?? ' ')) ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

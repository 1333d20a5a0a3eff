/** The same width, at the side where the column was aligned: where more room was left. */
function inPlace(found: string, value: string): string {
  const before = found.length - found.trimStart().length
  const after = found.length - found.trimEnd().length
  return before > after
    ? value.padStart(found.length - after) + ' '.repeat(after)
    : (' '.repeat(before) + value).padEnd(found.length)
}

/** Reproducible to the letter, nearly: what differs from one recording to the next keeps its width and nothing more. */
export function steady(screen: string): string {
  return screen
    .replaceAll(/\b([a-z]{3}\\?_)[0-9a-z]{5,}/g, (id, kind: string) => kind.padEnd(id.length, '0'))
    .replaceAll(/\b[0-9a-f]{32}\b/g, '0'.repeat(32))
    .replaceAll(/Found \/[^ │┃]*/g, found => 'Found …'.padEnd([...found].length))
    .replaceAll(/\/tmp\/mcpdeck-[\w-]+/g, '~')
    .replaceAll(/\b(\d\d:\d\d):\d\d\b/g, '$1:00')
    .replaceAll(/ +(\d+ms)(?= {2,}| *[│┃~])/g, found => inPlace(found, '9ms'))
    .replaceAll(/[^│┃\n]+/g, cell => {
      const same = cell
        .replaceAll(/\/\S*\/(?=node_modules\/|dist\/server-everything\/)/g, '~/')
        .replaceAll(/\b(\d+ms)\b/g, '9ms')
        .replaceAll(/([+-])[\d.]+%(?=\))/g, '$19%')
        .replaceAll(/\b\d+s ago/g, '9s ago')
        .replaceAll(/\b\d+s left\b/g, '9s left')
      // Bars stay where they are.
      return /[▁-█░]/.test(cell) ? same.padStart(cell.length) : same.padEnd(cell.length)
    })
    .replaceAll(/ +$/gm, '')
}

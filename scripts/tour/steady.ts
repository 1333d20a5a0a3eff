/** Makes a screen reproducible: text that differs between recordings is replaced by text of the same width. */
export function steady(screen: string): string {
  return screen
    .replaceAll(/\b([a-z]{3}\\?_)[0-9a-z]{5,}/g, (id, kind: string) => kind.padEnd(id.length, '0'))
    .replaceAll(/\b[0-9a-f]{32}\b/g, '0'.repeat(32))
    .replaceAll(/Found \/[^ │┃]*/g, found => 'Found …'.padEnd([...found].length))
    .replaceAll(/\/tmp\/mcpdeck-[\w-]+/g, '~')
    .replaceAll(/\b(\d\d:\d\d):\d\d\b/g, '$1:00')
    .replaceAll(/\b(\d)(\d+)(?=ms\b)/g, (_, first: string, rest: string) => first + '0'.repeat(rest.length))
    .replaceAll(/[^│┃╭╮╰╯\n]+/g, cell => {
      const same = cell
        .replaceAll(/\/\S*\/(?=node_modules\/|dist\/server-everything\/)/g, '~/')
        .replaceAll(/([+-])[\d.]+%(?=\))/g, '$19%')
        .replaceAll(/\b\d+s ago/g, '9s ago')
        .replaceAll(/\b\d+s left\b/g, '9s left')
      // Bars stay where they are.
      return /[▁-█░━]/.test(cell) ? same.padStart(cell.length) : same.padEnd(cell.length)
    })
    .replaceAll(/ +$/gm, '')
}

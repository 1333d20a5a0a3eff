import type { Terminal } from './terminal.ts'

/** The last text that the program copied to the terminal's clipboard. */
export function clipboard({ output }: Pick<Terminal, 'output'>): string {
  const copied = [...output.matchAll(/\u001B\]52;c;([A-Za-z0-9+/=]+)/g)].at(-1)?.[1] ?? ''
  return Buffer.from(copied, 'base64').toString()
}

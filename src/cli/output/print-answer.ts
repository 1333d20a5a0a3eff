import { escapedJson, isJson, printable } from '../../lib/printable.ts'

/** Prints an answer as it was received, every character of it printable. */
export function printReceived(text: string): void {
  print(isJson(text) ? escapedJson(text) : printable(text))
}

/** Prints text for people; nothing if there is none. */
export function printText(text: string): void {
  if (text !== '') print(printable(text))
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

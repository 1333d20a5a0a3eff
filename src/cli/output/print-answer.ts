import { escapedJson, isJson, printable } from '../../lib/printable.ts'

/** Prints an answer as received, with unprintable characters escaped. */
export function printReceived(text: string): void {
  print(isJson(text) ? escapedJson(text) : printable(text))
}

/** Prints text for people; nothing if the text is empty. */
export function printText(text: string): void {
  if (text !== '') print(printable(text))
}

function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

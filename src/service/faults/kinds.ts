/** Faults that can be injected on request, each at a rate. */
export const FAULT_KINDS = [
  /** The answer is delayed by a number of milliseconds. */
  'latency',
  /** The request is refused before it is executed, at random with or without `Retry-After`. */
  '429',
  /** The request fails before it is executed, with an error of the contract. */
  '500',
  '502',
  '504',
  /** The request fails before it is executed, with a code that is not in the contract. */
  '503',
  /** An HTML page is sent before the request is executed, as a proxy might do. */
  'html',
  /** The request is executed, then the connection is cut before any answer. */
  'drop',
  /** The request is executed, then the connection is cut in the middle of the body. */
  'truncate',
  /** The request is executed, and the answer has fields that are not in the contract. */
  'fields',
  /** The request is executed, and the answer has values that are not in the contract's open lists. */
  'enums',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

const others = FAULT_KINDS.filter(kind => kind !== 'latency').join(', ')

/** Syntax of a fault, for the help text and refusals. */
export const FAULT_FORM = `latency=MS or latency=MS:RATE, or one of ${others} with a rate from 0 to 1`

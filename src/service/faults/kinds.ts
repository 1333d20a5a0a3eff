/** Troubles that can be added on request, each at a rate. */
export const FAULT_KINDS = [
  /** Answered as usual, some milliseconds later. */
  'latency',
  /** Refused before it is executed, with and without `Retry-After` by turns of chance. */
  '429',
  /** Failed before it is executed, in the contract's words. */
  '500',
  '502',
  '504',
  /** Failed before it is executed, with a code that the contract does not have. */
  '503',
  /** Answered by an HTML page, as from a proxy, before it is executed. */
  'html',
  /** Executed, then the connection is cut before any answer. */
  'drop',
  /** Executed, then the connection is cut in the middle of the body. */
  'truncate',
  /** Executed, and answered with fields that the contract does not have. */
  'fields',
  /** Executed, and answered with values that the contract's open lists do not have. */
  'enums',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

const others = FAULT_KINDS.filter(kind => kind !== 'latency').join(', ')

/** How a fault is written, for help and refusals. */
export const FAULT_FORM = `latency=MS or latency=MS:RATE, or one of ${others} with a rate from 0 to 1`
